<?php
namespace Auskunft;

/** Entries as visitors see them, as events. */
final class Pages {
	/** True while content is rendered for Auskunft: the chat is no part of a page's text. */
	public static $rendering = false;

	/** True if every visitor may read the entry. */
	public static function is_public( ?\WP_Post $post ): bool {
		$public = $post
			&& 'publish' === $post->post_status
			&& '' === $post->post_password
			&& in_array( $post->post_type, Settings::get( 'types' ), true );
		return (bool) apply_filters( 'auskunft_is_public', $public, $post );
	}

	/** ISO 639-1 of an entry: Polylang's or WPML's, else the website's. */
	public static function language( \WP_Post $post ): string {
		$given = get_locale();
		if ( function_exists( 'pll_get_post_language' ) ) {
			$given = pll_get_post_language( $post->ID ) ?: $given;
		} elseif ( has_filter( 'wpml_post_language_details' ) ) {
			$details = apply_filters( 'wpml_post_language_details', null, $post->ID );
			$given   = is_array( $details ) && ! empty( $details['language_code'] ) ? $details['language_code'] : $given;
		}
		return preg_match( '/^([a-z]{2})(?![a-z])/', strtolower( $given ), $found ) ? $found[1] : 'und';
	}

	/** A sentence for the page of the settings: in which languages entries are sent. */
	public static function languages(): string {
		if ( function_exists( 'pll_get_post_language' ) || has_filter( 'wpml_post_language_details' ) ) {
			return __( 'Each translation is sent in its own language.', 'auskunft' );
		}
		/* translators: a locale such as en_US */
		return sprintf( __( 'All pages are sent as %s. With Polylang or WPML each translation has its own language.', 'auskunft' ), get_locale() );
	}

	/**
	 * The events that bring the service up to date with an entry: as it is now, whatever happened to it.
	 *
	 * @param object $row A row of the queue.
	 */
	public static function events( object $row ): array {
		wp_cache_delete( $row->post_id, 'posts' );
		wp_cache_delete( $row->post_id, 'post_meta' );
		$post = get_post( $row->post_id );
		$gone = array( 'id' => (int) $row->post_id, 'revision' => (int) $row->revision );
		if ( ! self::is_public( $post ) ) {
			$type = $post && 'trash' !== $post->post_status ? 'page.unpublished' : 'page.deleted';
			return array( array( 'type' => $type ) + $gone );
		}
		$saved  = self::saved( $post, (int) $row->revision );
		$events = array( $saved );
		if ( $row->language && $row->language !== $saved['language'] ) {
			array_unshift( $events, array( 'type' => 'page.deleted', 'language' => $row->language ) + $gone );
		}
		return $events;
	}

	private static function saved( \WP_Post $post, int $revision ): array {
		$event = array(
			'type'        => 'page.saved',
			'id'          => (int) $post->ID,
			'language'    => self::language( $post ),
			'revision'    => $revision,
			'url'         => get_permalink( $post ),
			'title'       => get_the_title( $post ),
			'description' => self::description( $post ),
			'keywords'    => self::keywords( $post ),
			'html'        => self::html( $post ),
			'updated'     => mysql2date( 'c', $post->post_modified_gmt . '+00:00', false ),
		);
		return (array) apply_filters( 'auskunft_event', array_filter( $event ), $post );
	}

	private static function description( \WP_Post $post ): string {
		foreach ( array( '_yoast_wpseo_metadesc', 'rank_math_description' ) as $field ) {
			$text = (string) get_post_meta( $post->ID, $field, true );
			if ( '' === $post->post_excerpt && '' !== $text && false === strpos( $text, '%' ) ) {
				return $text;
			}
		}
		return $post->post_excerpt;
	}

	private static function keywords( \WP_Post $post ): array {
		$terms = wp_get_object_terms( $post->ID, array( 'post_tag', 'category' ) );
		$terms = is_wp_error( $terms ) ? array() : $terms;
		$usual = (int) get_option( 'default_category' );
		$named = array_filter( $terms, static fn( $term ) => $term->term_id !== $usual );
		return array_values( array_map( static fn( $term ) => $term->name, $named ) );
	}

	/** Renders the content as somebody who is not logged in sees it. */
	public static function html( \WP_Post $post ): string {
		$user            = get_current_user_id();
		$before          = $GLOBALS['post'] ?? null;
		self::$rendering = true;
		wp_set_current_user( 0 );
		try {
			$GLOBALS['post'] = $post; // phpcs:ignore
			setup_postdata( $post );
			return (string) apply_filters( 'the_content', $post->post_content );
		} finally {
			$GLOBALS['post'] = $before; // phpcs:ignore
			if ( $before ) {
				setup_postdata( $before );
			}
			wp_set_current_user( $user );
			self::$rendering = false;
		}
	}
}
