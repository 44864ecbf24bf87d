<?php

declare(strict_types=1);

namespace Drupal\auskunft\EventSubscriber;

use Drupal\auskunft\Changes;
use Drupal\auskunft\Sender;
use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\HttpKernel\KernelEvents;

/**
 * Sends after the editor got their answer.
 */
final class AfterResponse implements EventSubscriberInterface {

  private const SECONDS = 20;

  public function __construct(
    private readonly Changes $changes,
    private readonly Sender $sender,
  ) {}

  public static function getSubscribedEvents(): array {
    return [KernelEvents::TERMINATE => 'onTerminate'];
  }

  public function onTerminate(): void {
    if ($this->changes->takeNoted()) {
      ignore_user_abort(TRUE);
      $this->sender->run(self::SECONDS);
    }
  }

}
