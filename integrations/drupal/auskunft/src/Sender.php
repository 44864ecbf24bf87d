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
  private const LISTED = 50;

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
   * Returns the pages that could not be sent, with the reason: they are tried again when they are saved.
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
      $this->refuse($page, $error->getMessage() ?: get_class($error));
      return [];
    }
  }

  private function sendPart(array $part): void {
    if (!$part) {
      return;
    }
    try {
      $this->connection->send(array_merge(...array_column($part, 1)));
      $this->accept(array_column($part, 0));
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

  private function accept(array $pages): void {
    $refused = $this->refused();
    $left = array_diff_key($refused, array_flip(array_map(self::name(...), $pages)));
    if (count($left) < count($refused)) {
      $this->state->set('auskunft.refused', $left);
    }
  }

  private function refuse(array $page, string $why): void {
    $listed = [self::name($page) => $why] + $this->refused();
    $this->state->set('auskunft.refused', array_slice($listed, 0, self::LISTED, TRUE));
  }

  private static function name(array $page): string {
    return "$page[0]/$page[1]";
  }

}
