<?php
namespace Auskunft;

/** The chat on the website: on every page by a checkbox, or where [auskunft_chat] is. */
final class Widget {
	public static function register(): void {
		add_action( 'wp_enqueue_scripts', array( __CLASS__, 'everywhere' ) );
		add_filter( 'script_loader_tag', array( __CLASS__, 'tag' ), 10, 2 );
		add_shortcode( 'auskunft_chat', array( __CLASS__, 'chat' ) );
	}

	public static function everywhere(): void {
		if ( Settings::get( 'everywhere' ) ) {
			self::enqueue();
		}
	}

	/** The chat as a part of the page; a link where scripts are off. */
	public static function chat(): string {
		if ( Pages::$rendering || ! Settings::get( 'url' ) || ! Settings::get( 'site' ) ) {
			return '';
		}
		self::enqueue();
		$site = Settings::get( 'site' );
		$link = Settings::get( 'url' ) . '/chat?site=' . rawurlencode( $site );
		return sprintf(
			'<auskunft-chat site="%s"><a href="%s">%s</a></auskunft-chat>',
			esc_attr( $site ),
			esc_url( $link ),
			esc_html__( 'Ask a question', 'auskunft' )
		);
	}

	public static function tag( string $tag, string $handle ): string {
		if ( 'auskunft' !== $handle ) {
			return $tag;
		}
		$site = Settings::get( 'everywhere' ) ? sprintf( ' data-site="%s"', esc_attr( Settings::get( 'site' ) ) ) : '';
		return str_replace( '<script ', "<script async$site ", $tag );
	}

	private static function enqueue(): void {
		if ( Settings::get( 'url' ) && Settings::get( 'site' ) ) {
			wp_enqueue_script( 'auskunft', Settings::get( 'url' ) . '/widget.js', array(), null, true ); // phpcs:ignore
		}
	}
}
