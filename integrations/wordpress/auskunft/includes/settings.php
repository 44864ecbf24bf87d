<?php
namespace Auskunft;

/** The plug-in's settings, and what the last try to send came to. */
final class Settings {
	const OPTION = 'auskunft';
	const STATE  = 'auskunft_state';
	const PAUSE_SECONDS = 5;
	const LONGEST_PAUSE_SECONDS = 900;

	/** One setting: url, source, secret, types, site, everywhere. A secret in wp-config.php goes first. */
	public static function get( string $name ) {
		if ( 'secret' === $name && defined( 'AUSKUNFT_SECRET' ) ) {
			return AUSKUNFT_SECRET;
		}
		$given = (array) get_option( self::OPTION, array() );
		return $given[ $name ] ?? ( 'types' === $name ? self::public_types() : '' );
	}

	/** True if everything is there that a message needs. */
	public static function complete(): bool {
		return self::get( 'url' ) && self::get( 'source' ) && self::get( 'secret' );
	}

	/** The types whose entries have pages of their own. */
	public static function public_types(): array {
		return array_values( array_diff( get_post_types( array( 'public' => true ) ), array( 'attachment' ) ) );
	}

	/** The secret's bytes, or an empty string where it is none. */
	public static function key( string $secret ): string {
		$key = base64_decode( preg_replace( '/^whsec_/', '', trim( $secret ) ), true );
		return false === $key || strlen( $key ) < 24 ? '' : $key;
	}

	/** until, failures, error, sent_at: whether the service was away, and until when to leave it alone. */
	public static function state(): array {
		$state = (array) get_option( self::STATE, array() );
		return $state + array( 'until' => 0, 'failures' => 0, 'error' => '', 'sent_at' => 0 );
	}

	public static function is_away(): bool {
		wp_cache_delete( self::STATE, 'options' ); // another process may have written it
		return self::state()['until'] > time();
	}

	/** Notes that the service did not take a message: the pause doubles with every try. */
	public static function failed( string $error, int $pause = 0 ): void {
		$state = self::state();
		$wait  = max( $pause, min( self::LONGEST_PAUSE_SECONDS, self::PAUSE_SECONDS * 2 ** min( 10, $state['failures'] ) ) );
		$news  = array( 'until' => time() + $wait, 'failures' => $state['failures'] + 1, 'error' => $error );
		update_option( self::STATE, $news + $state, false );
	}

	public static function succeeded(): void {
		update_option( self::STATE, array( 'until' => 0, 'failures' => 0, 'error' => '', 'sent_at' => time() ), false );
	}

	/** Forgets failures, so that the next try is at once. */
	public static function try_again(): void {
		update_option( self::STATE, array( 'until' => 0, 'failures' => 0 ) + self::state(), false );
	}
}
