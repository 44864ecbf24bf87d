<?php
namespace Auskunft;

/** Notes what editors do, and sees that it is sent after they got their answer. */
final class Watcher {
	const MINUTE = 'auskunft_send';
	const DAY    = 'auskunft_reconcile';
	const ROUTE  = 'auskunft/v1';

	/** How long a request to ourselves may hold up a save; where it fails, the minute's task sends. */
	const KICK_SECONDS = 0.03;

	private static $noted = false;

	public static function register(): void {
		add_action( 'wp_after_insert_post', array( __CLASS__, 'saved' ), 100, 4 );
		add_action( 'deleted_post', array( __CLASS__, 'deleted' ), 10, 2 );
		add_action( 'set_object_terms', array( __CLASS__, 'translated' ), 10, 4 );
		add_action( 'update_option_permalink_structure', array( __CLASS__, 'all' ) );
		add_action( 'update_option_home', array( __CLASS__, 'all' ) );
		add_action( 'shutdown', array( __CLASS__, 'shutdown' ), PHP_INT_MAX );
		add_action( 'init', array( __CLASS__, 'prepare' ) );
		add_action( 'rest_api_init', array( __CLASS__, 'route' ) );
		add_action( self::MINUTE, array( Sender::class, 'run' ) );
		add_action( self::DAY, array( Queue::class, 'reconcile' ) );
		add_filter( 'cron_schedules', array( __CLASS__, 'schedules' ) ); // phpcs:ignore
	}

	public static function prepare(): void {
		Queue::install();
		foreach ( array( self::MINUTE => 'auskunft_minute', self::DAY => 'daily' ) as $task => $every ) {
			if ( ! wp_next_scheduled( $task ) ) {
				wp_schedule_event( time(), $every, $task );
			}
		}
	}

	public static function schedules( array $schedules ): array {
		$schedules['auskunft_minute'] = array( 'interval' => 60, 'display' => 'Auskunft' );
		return $schedules;
	}

	/** An entry was saved: created, changed, published by the clock, put into the bin or taken out of it. */
	public static function saved( int $id, \WP_Post $post, bool $update, ?\WP_Post $before ): void {
		if ( wp_is_post_revision( $id ) || wp_is_post_autosave( $id ) ) {
			return;
		}
		self::note( $id, Pages::is_public( $post ) || Pages::is_public( $before ) );
		$moved = $before && ( $before->post_name !== $post->post_name || $before->post_parent !== $post->post_parent );
		if ( $moved && is_post_type_hierarchical( $post->post_type ) ) {
			self::note_children( $id, $post->post_type );
		}
	}

	public static function deleted( int $id, \WP_Post $post ): void {
		self::note( $id, Pages::is_public( $post ) );
	}

	/** Polylang keeps languages as terms. */
	public static function translated( $id, $terms, $ids, $taxonomy ): void {
		if ( 'language' === $taxonomy ) {
			self::note( (int) $id, false );
		}
	}

	/** Everything has another address. */
	public static function all(): void {
		Queue::note_all();
		self::$noted = true;
	}

	/** The addresses of pages below a page begin with its own. */
	private static function note_children( int $id, string $type ): void {
		global $wpdb;
		$parents = array( $id );
		$seen    = array();
		while ( $parents ) {
			$found   = $wpdb->get_col( // phpcs:ignore
				$wpdb->prepare( "SELECT ID FROM {$wpdb->posts} WHERE post_type = %s AND post_parent IN (" . implode( ',', array_map( 'intval', $parents ) ) . ')', $type ) // phpcs:ignore
			);
			$parents = array_diff( array_map( 'intval', $found ), $seen );
			$seen    = array_merge( $seen, $parents );
			foreach ( $parents as $child ) {
				self::note( $child, Pages::is_public( get_post( $child ) ) );
			}
		}
	}

	private static function note( int $id, bool $always ): void {
		Queue::note( $id, $always );
		self::$noted = true;
	}

	/** Sends after the answer where the server allows that, else in a request of its own. */
	public static function shutdown(): void {
		if ( ! self::$noted || ! Settings::complete() || Settings::is_away() || ! Queue::due( 1 ) ) {
			return;
		}
		self::$noted = false;
		if ( wp_doing_cron() || 'cli' === PHP_SAPI ) {
			Sender::run();
			return;
		}
		foreach ( array( 'fastcgi_finish_request', 'litespeed_finish_request' ) as $finish ) {
			if ( function_exists( $finish ) ) {
				ignore_user_abort( true );
				$finish();
				Sender::run();
				return;
			}
		}
		self::kick();
	}

	/** Asks this website to send, and does not wait: WordPress' own client would, for up to a second. */
	public static function kick(): void {
		$url  = wp_parse_url( rest_url( self::ROUTE . '/send' ) );
		$tls  = 'https' === ( $url['scheme'] ?? '' );
		$port = $url['port'] ?? ( $tls ? 443 : 80 );
		$to   = ( $tls ? 'ssl' : 'tcp' ) . '://' . $url['host'] . ':' . $port;
		$socket = @stream_socket_client( $to, $code, $why, self::KICK_SECONDS ); // phpcs:ignore
		if ( ! $socket ) {
			return;
		}
		$path = ( $url['path'] ?? '/' ) . ( isset( $url['query'] ) ? '?' . $url['query'] : '' );
		$host = $url['host'] . ( isset( $url['port'] ) ? ':' . $port : '' );
		fwrite( $socket, "POST $path HTTP/1.1\r\nHost: $host\r\nX-Auskunft-Token: " . self::token() . "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" ); // phpcs:ignore
		fclose( $socket ); // phpcs:ignore
	}

	public static function route(): void {
		register_rest_route(
			self::ROUTE,
			'/send',
			array(
				'methods'             => 'POST',
				'permission_callback' => static fn( $request ) => hash_equals( self::token(), (string) $request->get_header( 'x-auskunft-token' ) ),
				'callback'            => static function () {
					ignore_user_abort( true );
					Sender::run();
					return array( 'sent' => true );
				},
			)
		);
	}

	private static function token(): string {
		return wp_hash( 'auskunft-send' );
	}
}
