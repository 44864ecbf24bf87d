<?php
namespace Auskunft;

/** Sends messages, signed as Standard Webhooks says. */
final class Client {
	const TIMEOUT_SECONDS = 10;

	/** Returns status (0: no answer), detail and pause (seconds that the service asks for). */
	public static function send( array $events ): array {
		$url  = Settings::get( 'url' ) . '/api/sources/' . rawurlencode( Settings::get( 'source' ) ) . '/events';
		$body = wp_json_encode( array( 'events' => $events ), JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES );
		$got  = wp_remote_post(
			$url,
			array(
				'body'        => $body,
				'headers'     => self::headers( $body ),
				'timeout'     => self::TIMEOUT_SECONDS,
				'redirection' => 0,
			)
		);
		if ( is_wp_error( $got ) ) {
			return array( 'status' => 0, 'detail' => $got->get_error_message(), 'pause' => 0 );
		}
		$status  = (int) wp_remote_retrieve_response_code( $got );
		$problem = json_decode( wp_remote_retrieve_body( $got ), true );
		return array(
			'status' => $status,
			'detail' => self::detail( $status, is_array( $problem ) ? $problem : array() ),
			'pause'  => (int) wp_remote_retrieve_header( $got, 'retry-after' ),
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
