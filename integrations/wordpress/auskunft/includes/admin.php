<?php
namespace Auskunft;

/** The page under Settings: where to send, a test, what waits, the chat. */
final class Admin {
	const PAGE    = 'auskunft';
	const ACTIONS = array( 'test', 'all', 'retry' );

	public static function register(): void {
		add_action( 'init', array( __CLASS__, 'texts' ), 1 );
		add_action( 'admin_menu', array( __CLASS__, 'menu' ) );
		add_action( 'admin_init', array( __CLASS__, 'settings' ) );
		add_action( 'update_option_' . Settings::OPTION, array( __CLASS__, 'changed' ), 10, 2 );
		add_action( 'add_option_' . Settings::OPTION, array( __CLASS__, 'begun' ) );
		foreach ( self::ACTIONS as $action ) {
			add_action( "admin_post_auskunft_$action", array( __CLASS__, "do_$action" ) );
		}
	}

	public static function texts(): void {
		add_filter( 'load_textdomain_mofile', array( __CLASS__, 'german' ), 10, 2 );
		load_plugin_textdomain( 'auskunft', false, basename( dirname( FILE ) ) . '/languages' );
	}

	/** One German for Austria, Switzerland and both forms of address. */
	public static function german( string $file, string $domain ): string {
		return 'auskunft' === $domain ? preg_replace( '/-de_\w+\.mo$/', '-de_DE.mo', $file ) : $file;
	}

	public static function menu(): void {
		add_options_page( 'Auskunft', 'Auskunft', 'manage_options', self::PAGE, array( __CLASS__, 'page' ) );
	}

	public static function settings(): void {
		register_setting( self::PAGE, Settings::OPTION, array( 'sanitize_callback' => array( __CLASS__, 'checked' ) ) );
	}

	/** Checks what was typed; what is wrong keeps its old value, with a sentence why. */
	public static function checked( $given ): array {
		$given = (array) $given;
		$known = (array) get_option( Settings::OPTION, array() );
		$url   = untrailingslashit( esc_url_raw( trim( $given['url'] ?? '' ), array( 'http', 'https' ) ) );
		if ( '' === $url && ! empty( $given['url'] ) ) {
			self::complain( __( 'Give an address that begins with https://.', 'auskunft' ) );
			$url = $known['url'] ?? '';
		}
		$source = trim( $given['source'] ?? '' );
		if ( '' !== $source && ! preg_match( '/^[a-z0-9][a-z0-9_-]{0,63}$/', $source ) ) {
			self::complain( __( 'The name of a source has small letters, digits, - and _.', 'auskunft' ) );
			$source = $known['source'] ?? '';
		}
		$secret = trim( $given['secret'] ?? '' ) ?: ( $known['secret'] ?? '' );
		if ( '' !== $secret && '' === Settings::key( $secret ) ) {
			self::complain( __( 'That is no secret: copy all of it, from whsec_ to its end.', 'auskunft' ) );
			$secret = $known['secret'] ?? '';
		}
		return array(
			'url'        => $url,
			'source'     => $source,
			'secret'     => $secret,
			'types'      => array_values( array_intersect( Settings::public_types(), (array) ( $given['types'] ?? array() ) ) ),
			'site'       => sanitize_text_field( $given['site'] ?? '' ),
			'everywhere' => ! empty( $given['everywhere'] ),
		);
	}

	private static function complain( string $text ): void {
		if ( function_exists( 'add_settings_error' ) ) {
			add_settings_error( self::PAGE, 'auskunft', $text );
		}
	}

	public static function begun(): void {
		Queue::install();
		Queue::reconcile();
	}

	/** Another service or source has nothing yet; other types come or go; another secret may fit. */
	public static function changed( $before, $after ): void {
		$to = static fn( $given ) => array( $given['url'] ?? '', $given['source'] ?? '' );
		if ( $to( (array) $before ) !== $to( (array) $after ) ) {
			Queue::forget();
			Queue::note_all();
		}
		Queue::reconcile();
		Settings::try_again();
		Watcher::kick();
	}

	/** Sends a signed message that changes nothing. */
	public static function do_test(): void {
		self::guard( 'test' );
		$answer = Client::send( array( array( 'type' => 'page.deleted', 'id' => 'connection-test-of-the-plugin' ) ) );
		if ( 202 === $answer['status'] ) {
			Settings::try_again();
			Watcher::kick();
		}
		self::back( 202 === $answer['status'] ? 'ok' : 'failed', $answer['detail'] );
	}

	public static function do_all(): void {
		self::guard( 'all' );
		Queue::note_all();
		self::retry_now();
		self::back( 'all', '' );
	}

	public static function do_retry(): void {
		self::guard( 'retry' );
		Queue::retry();
		self::retry_now();
		self::back( 'retry', '' );
	}

	private static function retry_now(): void {
		Settings::try_again();
		Watcher::kick();
	}

	private static function guard( string $action ): void {
		if ( ! current_user_can( 'manage_options' ) ) {
			wp_die( esc_html__( 'You may not do this.', 'auskunft' ), '', array( 'response' => 403 ) );
		}
		check_admin_referer( "auskunft_$action" );
	}

	private static function back( string $done, string $detail ): void {
		set_transient( 'auskunft_' . get_current_user_id(), array( $done, $detail ), 60 );
		wp_safe_redirect( admin_url( 'options-general.php?page=' . self::PAGE ) );
		exit;
	}

	public static function page(): void {
		require __DIR__ . '/page.php';
	}
}
