<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use TYPO3\CMS\Core\Cache\CacheManager;
use TYPO3\CMS\Core\Locking\Exception\LockAcquireWouldBlockException;
use TYPO3\CMS\Core\Locking\LockFactory;
use TYPO3\CMS\Core\Locking\LockingStrategyInterface;

/** Empties the queue, one process at a time. */
final class Sender
{
    private const ROWS = 20;
    private const BYTES = 4000000;

    /** After which a page is tried again that the website could not show. */
    private const AGAIN_SECONDS = 900;

    public function __construct(
        private readonly Client $client,
        private readonly Pages $pages,
        private readonly Queue $queue,
        private readonly State $state,
        private readonly LockFactory $locks,
        private readonly CacheManager $caches,
    ) {}

    /** Sends what waits, for so many seconds at most; returns how many pages. */
    public function run(int $seconds): int
    {
        $lock = $this->locks->createLocker('auskunft');
        try {
            $free = $lock->acquire(LockingStrategyInterface::LOCK_CAPABILITY_EXCLUSIVE | LockingStrategyInterface::LOCK_CAPABILITY_NOBLOCK);
        } catch (LockAcquireWouldBlockException) {
            return 0;
        }
        try {
            return $free ? $this->sendDue(time() + $seconds) : 0;
        } finally {
            $lock->release();
        }
    }

    private function sendDue(int $end): int
    {
        $this->queue->wake();
        $count = 0;
        while (time() < $end && !$this->state->isAway() && $rows = $this->queue->due(self::ROWS)) {
            // Its slugs are those of the run's beginning.
            $this->caches->getCache('runtime')->flush();
            foreach (array_filter($rows, static fn($row) => $row['below']) as $row) {
                $this->queue->expand($row);
            }
            try {
                $count += $this->send($this->prepared($rows, $end));
            } catch (Away) {
                break;
            }
        }
        return $count;
    }

    /** Returns rows with their events, as many as fit into a message and the time. */
    private function prepared(array $rows, int $end): array
    {
        $prepared = [];
        $bytes = 0;
        foreach ($rows as $row) {
            if (time() >= $end) {
                break;
            }
            try {
                $due = $this->pages->nextChange((int)$row['page']);
                $events = $this->pages->events($row);
            } catch (\Throwable $error) { // a fault in one page must not stop the others
                $this->queue->refuse($row, $error->getMessage() ?: get_class($error), time() + self::AGAIN_SECONDS);
                continue;
            }
            $bytes += strlen((string)json_encode($events, JSON_INVALID_UTF8_SUBSTITUTE));
            if ($prepared && $bytes > self::BYTES) {
                break;
            }
            $prepared[] = [$row, $events, $due];
        }
        return $prepared;
    }

    /** Sends prepared rows in one message, or in halves where one of them is refused. */
    private function send(array $prepared): int
    {
        if (!$prepared) {
            return 0;
        }
        try {
            $this->client->send(array_merge(...array_column($prepared, 1)));
        } catch (Refused $error) {
            if (count($prepared) === 1) {
                $this->queue->refuse($prepared[0][0], $error->getMessage(), $prepared[0][2]);
                return 0;
            }
            $halves = array_chunk($prepared, intdiv(count($prepared) + 1, 2));
            return array_sum(array_map($this->send(...), $halves));
        }
        foreach ($prepared as [$row, $events, $due]) {
            $saved = array_filter($events, static fn($event) => $event['type'] === 'page.saved');
            $this->queue->settle($row, array_column($saved, 'language'), $due);
        }
        return count($prepared);
    }
}
