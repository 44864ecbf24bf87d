<?php

declare(strict_types=1);

namespace Drupal\auskunft;

use Drupal\Core\Queue\QueueFactory;
use Drupal\Core\State\StateInterface;

/**
 * Sends what waits in the queue: after an editor's answer, by cron, by a button.
 */
final class Sender {

  private const BYTES = 4000000;
  private const LEASE_SECONDS = 120;
  private const AGAIN_SECONDS = 900;
  private const PAGES_IN_AN_ITEM = 50;

  public function __construct(
    private readonly Connection $connection,
    private readonly Pages $pages,
    private readonly QueueFactory $queues,
    private readonly StateInterface $state,
  ) {}

  /**
   * Sends what waits, for so many seconds at most; what is left comes with the next cron.
   */
  public function run(int $seconds): void {
    $queue = $this->queues->get('auskunft', TRUE);
    $end = time() + $seconds;
    while (time() < $end && $this->isReady() && ($item = $queue->claimItem(self::LEASE_SECONDS))) {
      try {
        $this->send((array) $item->data);
      }
      catch (Away) {
        $queue->releaseItem($item);
        return;
      }
      $queue->deleteItem($item);
    }
  }

  /**
   * Returns TRUE if sending makes sense now.
   */
  public function isReady(): bool {
    return $this->connection->isComplete() && !$this->connection->isAway();
  }

  /**
   * Sends pages: in one message, or in several where they are long or one of them is refused.
   *
   * @throws \Drupal\auskunft\Away
   */
  public function send(array $pages): void {
    $parts = [[]];
    $bytes = 0;
    foreach ($pages as $page) {
      $events = $this->events($page);
      $length = strlen((string) json_encode($events, JSON_INVALID_UTF8_SUBSTITUTE));
      if (end($parts) && $bytes + $length > self::BYTES) {
        $parts[] = [];
        $bytes = 0;
      }
      $parts[array_key_last($parts)][] = [$page, $events];
      $bytes += $length;
    }
    foreach ($parts as $part) {
      $this->sendPart(array_filter($part, static fn ($one) => $one[1]));
    }
  }

  /**
   * Puts the pages back into the queue whose next try has come.
   */
  public function wake(): void {
    $again = $this->state->get('auskunft.again', []);
    $due = array_filter($again, static fn ($time) => $time <= time());
    foreach (array_chunk(array_keys($due), self::PAGES_IN_AN_ITEM) as $names) {
      $this->queues->get('auskunft', TRUE)->createItem(array_map(static fn ($name) => explode('/', $name), $names));
    }
    if ($due) {
      $this->state->set('auskunft.again', array_diff_key($again, $due));
    }
  }

  /**
   * Returns the pages that could not be sent, with the reason: those that Auskunft refused are tried again when they
   * are saved, the others after a while.
   */
  public function refused(): array {
    return $this->state->get('auskunft.refused', []);
  }

  /**
   * Returns a page's events; none, where the page cannot be shown, which must not stop the others.
   */
  private function events(array $page): array {
    try {
      return $this->pages->events(...$page);
    }
    catch (\Throwable $error) {
      $this->refuse($page, $error->getMessage() ?: get_class($error), time() + self::AGAIN_SECONDS);
      return [];
    }
  }

  private function sendPart(array $part): void {
    if (!$part) {
      return;
    }
    try {
      $this->settle(array_column($part, 0), $this->connection->send(array_merge(...array_column($part, 1))));
    }
    catch (Refused $error) {
      if (count($part) === 1) {
        $this->refuse(reset($part)[0], $error->getMessage());
        return;
      }
      foreach (array_chunk($part, intdiv(count($part) + 1, 2)) as $half) {
        $this->sendPart($half);
      }
    }
  }

  /**
   * Takes pages for sent, but for those of which Auskunft has a version with a higher number.
   */
  private function settle(array $pages, array $jobs): void {
    $outrun = array_column(array_filter($jobs, static fn ($job) => ($job['status'] ?? '') === 'superseded'), 'page');
    $late = array_filter($pages, static fn ($page) => in_array("$page[0]/$page[1]", $outrun, TRUE));
    foreach ($late as $page) {
      $why = 'Auskunft has a newer version: is the clock of this machine right?';
      $this->refuse($page, $why, time() + self::AGAIN_SECONDS);
    }
    $this->accept(array_diff_key($pages, $late));
  }

  private function accept(array $pages): void {
    $names = array_flip(array_map(self::name(...), $pages));
    foreach (['auskunft.refused', 'auskunft.again'] as $key) {
      $before = $this->state->get($key, []);
      $left = array_diff_key($before, $names);
      if (count($left) < count($before)) {
        $this->state->set($key, $left);
      }
    }
  }

  private function refuse(array $page, string $why, int $due = 0): void {
    $this->state->set('auskunft.refused', [self::name($page) => $why] + $this->refused());
    if ($due) {
      $this->state->set('auskunft.again', [self::name($page) => $due] + $this->state->get('auskunft.again', []));
    }
  }

  private static function name(array $page): string {
    return rtrim(implode('/', $page), '/');
  }

}
