<?php
/** Removes what the plug-in kept: its table and options. */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

global $wpdb;
$wpdb->query( "DROP TABLE IF EXISTS {$wpdb->prefix}auskunft" ); // phpcs:ignore
foreach ( array( 'auskunft', 'auskunft_state', 'auskunft_version' ) as $option ) {
	delete_option( $option );
}
