<?php
/**
 * Plugin Name: Auskunft
 * Description: Tells Auskunft when pages are saved, moved, taken offline or deleted, and puts its chat on the website.
 * Version: 0.1.0
 * Requires at least: 5.6
 * Requires PHP: 7.4
 * License: MIT
 * Text Domain: auskunft
 * Domain Path: /languages
 */

namespace Auskunft;

defined( 'ABSPATH' ) || exit;

const FILE = __FILE__;

foreach ( array( 'settings', 'pages', 'queue', 'client', 'sender', 'watcher', 'widget', 'draft', 'admin' ) as $part ) {
	require __DIR__ . "/includes/$part.php";
}

register_activation_hook(
	__FILE__,
	static function () {
		Queue::install();
		Queue::reconcile();
	}
);
register_deactivation_hook(
	__FILE__,
	static function () {
		wp_clear_scheduled_hook( Watcher::MINUTE );
		wp_clear_scheduled_hook( Watcher::DAY );
	}
);

Watcher::register();
Widget::register();
Draft::register();
Admin::register();
