<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use Doctrine\DBAL\Exception\UniqueConstraintViolationException;
use TYPO3\CMS\Core\Database\Connection;
use TYPO3\CMS\Core\Database\ConnectionPool;

/**
 * Which pages Auskunft has to be told of: a row for each, never a copy of its content.
 *
 * `changed` is the time of the newest change in milliseconds; what was sent of it is `sent`, so that whatever is
 * newer waits. `below`: the pages below changed, too. `due`: when to look at it again, as the clock changes it then. `languages`: those in
 * which Auskunft has it. Sending reads the page as it is then: many saves are one message, and neither their order
 * nor a second sending matters.
 */
final class Queue
{
    private const TABLE = 'tx_auskunft_page';

    /** How long a change waits: TYPO3 clears its caches after it reports one. */
    private const SETTLING = 10000;

    public function __construct(private readonly ConnectionPool $connections) {}

    /** Notes that a page changed now; with $below, all pages below it, too. */
    public function mark(int $page, bool $below = false): void
    {
        $this->note($page, $below, $this->now());
    }

    /** Notes that a page is to be sent at once. */
    private function again(int $page, bool $below = false): void
    {
        $this->note($page, $below, $this->now() - self::SETTLING);
    }

    private function note(int $page, bool $below, int $time): void
    {
        if ($page <= 0) {
            return;
        }
        $row = $this->row($page);
        if ($row === null) {
            try {
                $this->connection()->insert(self::TABLE, ['page' => $page, 'changed' => $time, 'below' => (int)$below, 'failure' => '']);
                return;
            } catch (UniqueConstraintViolationException) { // another process was faster
                $row = $this->row($page);
            }
        }
        $news = ['changed' => max((int)$row['changed'] + 1, $time), 'failure' => ''];
        $this->connection()->update(self::TABLE, $news + ($below ? ['below' => 1] : []), ['page' => $page]);
    }

    /** Notes all pages, and those that Auskunft has; returns how many. */
    public function markAll(): int
    {
        $found = $this->column('SELECT uid FROM pages WHERE deleted = 0 AND sys_language_uid = 0 AND t3ver_wsid = 0');
        $known = $this->column('SELECT page FROM ' . self::TABLE);
        $pages = array_unique(array_map('intval', array_merge($found, $known)));
        foreach ($pages as $page) {
            $this->again($page);
        }
        return count($pages);
    }

    /** Marks the pages whose beginning or end has come, with those below; and those that are to be tried again. */
    public function wake(): void
    {
        $sql = 'SELECT page, failure FROM ' . self::TABLE . ' WHERE due > 0 AND due <= ?';
        foreach ($this->connection()->executeQuery($sql, [time()])->fetchAllAssociative() as $row) {
            $this->connection()->update(self::TABLE, ['due' => 0], ['page' => (int)$row['page']]);
            $this->again((int)$row['page'], $row['failure'] === '');
        }
    }

    /** Gives the rows that were set aside another try. */
    public function retry(): void
    {
        foreach (array_keys($this->refused(PHP_INT_MAX)) as $page) {
            $this->again($page);
        }
    }

    /** Marks what is below a row's page, and takes its own mark away. Deleted pages are still below. */
    public function expand(array $row): void
    {
        $seen = $parents = [(int)$row['page']];
        while ($parents) {
            $places = implode(',', $parents);
            $found = $this->column("SELECT uid FROM pages WHERE sys_language_uid = 0 AND pid IN ($places)");
            $parents = array_diff(array_map('intval', $found), $seen);
            $seen = array_merge($seen, $parents);
            foreach ($parents as $page) {
                $this->again($page);
            }
        }
        $this->connection()->update(self::TABLE, ['below' => 0], ['page' => $row['page'], 'changed' => $row['changed']]);
    }

    /** The rows that wait, longest first; a time to come is that of a clock that was set back, and no reason to wait. */
    public function due(int $limit): array
    {
        $now = $this->now();
        $settled = 'changed NOT BETWEEN ' . ($now - self::SETTLING + 1) . " AND $now";
        $where = "changed > sent AND failure = '' AND $settled";
        $sql = 'SELECT * FROM ' . self::TABLE . " WHERE $where ORDER BY changed, page LIMIT $limit";
        return $this->connection()->executeQuery($sql)->fetchAllAssociative();
    }

    /** Settles a row; a change that came meanwhile stays. */
    public function settle(array $row, array $languages, int $due): void
    {
        $news = ['sent' => $row['changed'], 'languages' => implode(',', $languages), 'due' => $due];
        $this->connection()->update(self::TABLE, $news, ['page' => $row['page']]);
    }

    /** Sets a row aside that cannot be sent as it is, until its page changes or the time $due. */
    public function refuse(array $row, string $why, int $due): void
    {
        $which = ['page' => $row['page'], 'changed' => $row['changed']];
        $this->connection()->update(self::TABLE, ['failure' => $why, 'due' => $due], $which);
    }

    /** Counts: waiting, refused, sent (Auskunft has them), closed (not everybody gets them). */
    public function counts(): array
    {
        $sql = "SELECT SUM(CASE WHEN changed > sent AND failure = '' THEN 1 ELSE 0 END) AS waiting,
            SUM(CASE WHEN failure <> '' THEN 1 ELSE 0 END) AS refused,
            SUM(CASE WHEN languages <> '' THEN 1 ELSE 0 END) AS sent,
            SUM(CASE WHEN changed <= sent AND languages = '' AND failure = '' THEN 1 ELSE 0 END) AS closed FROM " . self::TABLE;
        return array_map('intval', $this->connection()->executeQuery($sql)->fetchAssociative());
    }

    /** The reasons of what was refused, by page. */
    public function refused(int $limit): array
    {
        $sql = 'SELECT page, failure FROM ' . self::TABLE . " WHERE failure <> '' ORDER BY changed DESC LIMIT $limit";
        return array_column($this->connection()->executeQuery($sql)->fetchAllAssociative(), 'failure', 'page');
    }

    private function now(): int
    {
        return (int)(microtime(true) * 1000);
    }

    private function row(int $page): ?array
    {
        $sql = 'SELECT * FROM ' . self::TABLE . ' WHERE page = ?';
        return $this->connection()->executeQuery($sql, [$page])->fetchAssociative() ?: null;
    }

    private function column(string $sql, array $values = []): array
    {
        return $this->connection()->executeQuery($sql, $values)->fetchFirstColumn();
    }

    private function connection(): Connection
    {
        return $this->connections->getConnectionForTable(self::TABLE);
    }
}
