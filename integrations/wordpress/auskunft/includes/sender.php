<?php
namespace Auskunft;

/** Empties the queue, one process at a time. */
final class Sender {
	const ROWS          = 50;
	const BYTES         = 4000000;
	const SECONDS       = 20;
	const ITS_OWN_FAULT = array( 400, 413, 422 );

	/** Sends what is due, for `SECONDS` at most; the minute's task goes on. */
	public static function run(): void {
		$end = time() + self::SECONDS;
		// Whoever found the lock taken has left their row to its holder, who therefore looks again.
		while ( time() < $end && Settings::complete() && ! Settings::is_away() && Queue::due( 1 ) && Queue::lock() ) {
			try {
				do {
					$rows = Queue::due( self::ROWS );
				} while ( $rows && self::send( $rows ) && time() < $end );
			} finally {
				Queue::unlock();
			}
		}
	}

	/** Sends rows in one message, or in halves where one of them is refused. False: the service is away. */
	private static function send( array $rows ): bool {
		list( $sent, $events ) = self::prepared( $rows );
		if ( ! $events ) {
			return true;
		}
		$answer = Client::send( array_merge( ...array_values( $events ) ) );
		if ( 202 === $answer['status'] ) {
			Settings::succeeded();
			foreach ( $sent as $row ) {
				Queue::sent( $row, end( $events[ $row->post_id ] )['language'] ?? '' );
			}
			return true;
		}
		if ( ! in_array( $answer['status'], self::ITS_OWN_FAULT, true ) ) {
			Settings::failed( $answer['detail'], $answer['pause'] );
			return false;
		}
		if ( 1 === count( $sent ) ) {
			Queue::refused( $sent[0], $answer['detail'] );
			return true;
		}
		$half = intdiv( count( $sent ), 2 );
		return self::send( array_slice( $sent, 0, $half ) ) && self::send( array_slice( $sent, $half ) );
	}

	/** Returns the rows that fit into a message, and their events by the entry's number. */
	private static function prepared( array $rows ): array {
		$sent   = array();
		$events = array();
		$bytes  = 0;
		foreach ( $rows as $row ) {
			try {
				$made = Pages::events( $row );
			} catch ( \Throwable $error ) { // a plug-in's fault in one page must not stop the others
				Queue::refused( $row, $error->getMessage() ?: get_class( $error ) );
				continue;
			}
			$bytes += strlen( (string) wp_json_encode( $made ) );
			if ( $sent && $bytes > self::BYTES ) {
				break;
			}
			$sent[]                  = $row;
			$events[ $row->post_id ] = $made;
		}
		return array( $sent, $events );
	}
}
