<?php
namespace Auskunft;

/** Sends messages, signed as Standard Webhooks says. */
final class Client {
	const TIMEOUT_SECONDS       = 10;
	const DRAFT_TIMEOUT_SECONDS = 30;

	/** Returns status (0: no answer), detail and pause (seconds that the service asks for). */
	public static function send( array $events ): array {
		return self::post( 'events', array( 'events' => $events ), self::TIMEOUT_SECONDS );
	}

	/** Asks a draft; as send(), with what the service says to it as answer. */
	public static function ask( array $draft ): array {
		$got = self::post( 'draft', $draft, self::DRAFT_TIMEOUT_SECONDS );
		if ( 200 === $got['status'] && ! is_array( $got['answer']['answers'] ?? null ) ) {
			return array( 'status' => 0, 'detail' => 'no answer from ' . Settings::get( 'url' ) ) + $got;
		}
		return $got;
	}

	private static function post( string $what, array $document, int $seconds ): array {
		$url  = Settings::get( 'url' ) . '/api/sources/' . rawurlencode( Settings::get( 'source' ) ) . "/$what";
		$body = wp_json_encode( $document, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES );
		$got  = wp_remote_post(
			$url,
			array(
				'body'        => $body,
				'headers'     => self::headers( $body ),
				'timeout'     => $seconds,
				'redirection' => 0,
			)
		);
		if ( is_wp_error( $got ) ) {
			return array( 'status' => 0, 'detail' => $got->get_error_message(), 'pause' => 0, 'answer' => array() );
		}
		$status = (int) wp_remote_retrieve_response_code( $got );
		$answer = json_decode( wp_remote_retrieve_body( $got ), true );
		$answer = is_array( $answer ) ? $answer : array();
		return array(
			'status' => $status,
			'detail' => self::detail( $status, $answer ),
			'pause'  => (int) wp_remote_retrieve_header( $got, 'retry-after' ),
			'answer' => $answer,
		);
	}

	private static function headers( string $body ): array {
		$id   = 'msg_' . bin2hex( random_bytes( 16 ) );
		$now  = time();
		$hash = hash_hmac( 'sha256', "$id.$now.$body", Settings::key( Settings::get( 'secret' ) ), true );
		return array(
			'Content-Type'      => 'application/json',
			'webhook-id'        => $id,
			'webhook-timestamp' => (string) $now,
			'webhook-signature' => 'v1,' . base64_encode( $hash ),
		);
	}

	private static function detail( int $status, array $problem ): string {
		$said = array( $status . ' ' . ( $problem['detail'] ?? '' ) );
		foreach ( $problem['fields'] ?? array() as $field ) {
			$said[] = ( $field['field'] ?? '' ) . ': ' . ( $field['message'] ?? '' );
		}
		return trim( implode( '; ', $said ) );
	}
}
