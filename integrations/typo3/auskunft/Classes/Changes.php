<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use TYPO3\CMS\Core\Database\ConnectionPool;
use TYPO3\CMS\Core\DataHandling\DataHandler;

/**
 * What editors do, as the DataHandler reports it: each costs two or three statements.
 *
 * A change in a workspace marks the live page, which is then sent as it was: nothing of a draft gets out.
 */
final class Changes
{
    /** Fields of a page that decide who sees it, or where it and the pages below are. */
    private const OF_THE_TREE = ['hidden', 'starttime', 'endtime', 'fe_group', 'extendToSubpages', 'slug', 'is_siteroot', 'l18n_cfg'];

    /** Copies and translations are reported as new records. */
    private const COMMANDS = ['delete', 'undelete', 'move', 'version'];

    public function __construct(
        private readonly Queue $queue,
        private readonly ConnectionPool $connections,
    ) {}

    /** A record was created or changed. */
    public function processDatamap_afterDatabaseOperations(
        string $status,
        string $table,
        string|int $id,
        array $fieldArray,
        DataHandler $dataHandler
    ): void {
        $uid = $status === 'new' ? ($dataHandler->substNEWwithIDs[$id] ?? 0) : $id;
        $this->note($table, (int)$uid, (bool)array_intersect(self::OF_THE_TREE, array_keys($fieldArray)));
    }

    /** A record is about to leave its page, also by being published from a workspace. */
    public function processCmdmap_preProcess(string $command, string $table, string|int $id): void
    {
        if (in_array($command, ['move', 'delete', 'version'], true)) {
            $this->note($table, (int)$id, true);
        }
    }

    /** A record was deleted, restored, moved or published from a workspace. */
    public function processCmdmap_postProcess(string $command, string $table, string|int $id): void
    {
        if (in_array($command, self::COMMANDS, true)) {
            $this->note($table, (int)$id, true);
        }
    }

    private function note(string $table, int $uid, bool $below): void
    {
        $record = $uid > 0 ? $this->record($table, $uid) : null;
        if ($record === null) {
            return;
        }
        if ($table !== 'pages') {
            $this->queue->mark((int)($record['pid'] ?? 0));
            return;
        }
        $live = (int)($record['t3ver_oid'] ?? 0) ?: $uid;
        $this->queue->mark((int)($record['l10n_parent'] ?? 0) ?: $live, $below);
    }

    /** Returns a record, also a deleted one. */
    private function record(string $table, int $uid): ?array
    {
        $connection = $this->connections->getConnectionForTable($table);
        $sql = 'SELECT * FROM ' . $connection->quoteIdentifier($table) . ' WHERE uid = ?';
        return $connection->executeQuery($sql, [$uid])->fetchAssociative() ?: null;
    }
}
