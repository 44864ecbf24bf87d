<?php
namespace Auskunft;

/**
 * Which entries the service has to be told of: a row for each, never a copy of its content.
 *
 * `revision` is the time of the newest change in milliseconds; what was sent of it is `sent_revision`, so that
 * whatever is newer waits. `language` is the one under which the service has the entry, or empty. Sending reads
 * the entry as it is then: many saves are one message, and neither their order nor a second sending matters.
 */
final class Queue {
	const VERSION = '1';

	public static function table(): string {
		global $wpdb;
		return $wpdb->prefix . 'auskunft';
	}

	public static function install(): void {
		global $wpdb;
		if ( get_option( 'auskunft_version' ) === self::VERSION ) {
			return;
		}
		$wpdb->query(
			'CREATE TABLE IF NOT EXISTS ' . self::table() . " (
				post_id bigint unsigned NOT NULL PRIMARY KEY,
				revision bigint unsigned NOT NULL,
				sent_revision bigint unsigned NOT NULL DEFAULT 0,
				language varchar(3) NOT NULL DEFAULT '',
				sent_at bigint unsigned NOT NULL DEFAULT 0,
				failure text NOT NULL
			) {$wpdb->get_charset_collate()}"
		);
		update_option( 'auskunft_version', self::VERSION );
	}

	/** Notes a change. Unless `$always`, only of an entry that the service may have. */
	public static function note( int $post_id, bool $always ): void {
		global $wpdb;
		$table = self::table();
		$now   = self::now();
		$sql   = $always
			? "INSERT INTO $table (post_id, revision, failure) VALUES (%d, %d, '')
				ON DUPLICATE KEY UPDATE revision = GREATEST(revision + 1, VALUES(revision)), failure = ''"
			: "UPDATE $table SET revision = GREATEST(revision + 1, %2\$d), failure = '' WHERE post_id = %1\$d";
		$wpdb->query( $wpdb->prepare( $sql, $post_id, $now ) ); // phpcs:ignore
	}

	/** Notes all public entries, and those that the service has. */
	public static function note_all(): void {
		global $wpdb;
		$table = self::table();
		$now   = self::now();
		self::insert_missing( $now );
		$wpdb->query( $wpdb->prepare( "UPDATE $table SET revision = GREATEST(revision + 1, %d), failure = ''", $now ) ); // phpcs:ignore
	}

	/** Notes what happened unseen, while the plug-in was off: public entries that the service lacks, and others that it has. */
	public static function reconcile(): void {
		global $wpdb;
		$table = self::table();
		$now   = self::now();
		self::insert_missing( $now );
		$wpdb->query( // phpcs:ignore
			$wpdb->prepare(
				"UPDATE $table LEFT JOIN {$wpdb->posts} ON ID = post_id SET revision = GREATEST(revision + 1, %d)
				WHERE revision <= sent_revision AND (language <> '') <> (ID IS NOT NULL AND post_status = 'publish'
				AND post_password = '' AND post_type IN (" . self::types() . '))', // phpcs:ignore
				$now
			)
		);
	}

	/** Forgets what was sent: another service has nothing of it. */
	public static function forget(): void {
		global $wpdb;
		$wpdb->query( 'UPDATE ' . self::table() . " SET sent_revision = 0, language = '', failure = ''" ); // phpcs:ignore
	}

	/** The entries that wait, longest first. */
	public static function due( int $limit ): array {
		global $wpdb;
		$table = self::table();
		return $wpdb->get_results( // phpcs:ignore
			$wpdb->prepare( "SELECT * FROM $table WHERE revision > sent_revision AND failure = '' ORDER BY revision LIMIT %d", $limit ) // phpcs:ignore
		);
	}

	/** Settles a row; a change that came meanwhile stays. */
	public static function sent( object $row, string $language ): void {
		global $wpdb;
		$news = array( 'sent_revision' => $row->revision, 'language' => $language, 'sent_at' => time() );
		$wpdb->update( self::table(), $news, array( 'post_id' => $row->post_id ) );
	}

	/** Sets a row aside that cannot be sent as it is, until its entry changes. */
	public static function refused( object $row, string $why ): void {
		global $wpdb;
		$which = array( 'post_id' => $row->post_id, 'revision' => $row->revision );
		$wpdb->update( self::table(), array( 'failure' => $why ), $which );
	}

	/** Gives the rows that were set aside another try. */
	public static function retry(): void {
		global $wpdb;
		$wpdb->query( 'UPDATE ' . self::table() . " SET failure = ''" ); // phpcs:ignore
	}

	/** Counts: waiting, refused, sent (the service has them). */
	public static function counts(): array {
		global $wpdb;
		return $wpdb->get_row( // phpcs:ignore
			"SELECT COALESCE(SUM(revision > sent_revision AND failure = ''), 0) AS waiting,
			COALESCE(SUM(failure <> ''), 0) AS refused, COALESCE(SUM(language <> ''), 0) AS sent FROM " . self::table(), // phpcs:ignore
			ARRAY_A
		);
	}

	/** Rows that wait or were set aside, for the page of the settings. */
	public static function listed( int $limit ): array {
		global $wpdb;
		return $wpdb->get_results( // phpcs:ignore
			$wpdb->prepare( 'SELECT * FROM ' . self::table() . ' WHERE revision > sent_revision ORDER BY failure DESC, revision LIMIT %d', $limit ) // phpcs:ignore
		);
	}

	/** Takes the right to send; false where another process has it. It ends with the process. */
	public static function lock(): bool {
		global $wpdb;
		return '1' === $wpdb->get_var( $wpdb->prepare( 'SELECT GET_LOCK(%s, 0)', self::lock_name() ) );
	}

	public static function unlock(): void {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( 'SELECT RELEASE_LOCK(%s)', self::lock_name() ) );
	}

	private static function lock_name(): string {
		return 'auskunft_' . md5( DB_NAME . self::table() );
	}

	private static function now(): int {
		return (int) ( microtime( true ) * 1000 );
	}

	private static function types(): string {
		$quoted = array_map( static fn( $type ) => "'" . esc_sql( $type ) . "'", (array) Settings::get( 'types' ) );
		return implode( ',', $quoted ) ?: "''";
	}

	private static function insert_missing( int $now ): void {
		global $wpdb;
		$wpdb->query( // phpcs:ignore
			$wpdb->prepare(
				'INSERT IGNORE INTO ' . self::table() . " (post_id, revision, failure) SELECT ID, %d, '' FROM {$wpdb->posts}
				WHERE post_status = 'publish' AND post_password = '' AND post_type IN (" . self::types() . ')', // phpcs:ignore
				$now
			)
		);
	}
}
