<?php
namespace Auskunft;

/** The chat on the website: on every page by a checkbox, or where its block or [auskunft_chat] is. */
final class Widget {
	public static function register(): void {
		add_action( 'wp_enqueue_scripts', array( __CLASS__, 'everywhere' ) );
		add_filter( 'script_loader_tag', array( __CLASS__, 'tag' ), 10, 2 );
		add_shortcode( 'auskunft_chat', array( __CLASS__, 'chat' ) );
		add_action( 'init', array( __CLASS__, 'block' ) );
	}

	/** The block: rendered by PHP, shown to editors by a script that needs no build. */
	public static function block(): void {
		$needs = array( 'wp-blocks', 'wp-element', 'wp-block-editor' );
		wp_register_script( 'auskunft-block', plugins_url( 'assets/block.js', FILE ), $needs, '1', true );
		$texts = array(
			'title'       => __( 'Chat of Auskunft', 'auskunft' ),
			'description' => __( 'Visitors ask, and get answers from this website.', 'auskunft' ),
			'missing'     => Settings::get( 'site' ) ? '' : __( 'Give the key of the site under Settings, Auskunft.', 'auskunft' ),
		);
		wp_add_inline_script( 'auskunft-block', 'var auskunftBlock = ' . wp_json_encode( $texts ) . ';', 'before' );
		register_block_type(
			'auskunft/chat',
			array(
				'api_version'     => 2,
				'editor_script'   => 'auskunft-block',
				'render_callback' => array( __CLASS__, 'chat' ),
			)
		);
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
