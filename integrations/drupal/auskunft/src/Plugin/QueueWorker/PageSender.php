<?php

declare(strict_types=1);

namespace Drupal\auskunft\Plugin\QueueWorker;

use Drupal\auskunft\Away;
use Drupal\auskunft\Sender;
use Drupal\Core\Plugin\ContainerFactoryPluginInterface;
use Drupal\Core\Queue\Attribute\QueueWorker;
use Drupal\Core\Queue\QueueWorkerBase;
use Drupal\Core\Queue\SuspendQueueException;
use Drupal\Core\StringTranslation\TranslatableMarkup;
use Symfony\Component\DependencyInjection\ContainerInterface;

/**
 * Sends what waits, by cron.
 */
#[QueueWorker(id: 'auskunft', title: new TranslatableMarkup('Pages for Auskunft'), cron: ['time' => 60])]
final class PageSender extends QueueWorkerBase implements ContainerFactoryPluginInterface {

  public function __construct(array $configuration, string $id, mixed $definition, private readonly Sender $sender) {
    parent::__construct($configuration, $id, $definition);
  }

  public static function create(ContainerInterface $container, array $configuration, $plugin_id, $plugin_definition): static {
    return new static($configuration, $plugin_id, $plugin_definition, $container->get('auskunft.sender'));
  }

  /**
   * {@inheritdoc}
   */
  public function processItem($data): void {
    if (!$this->sender->isReady()) {
      throw new SuspendQueueException('Auskunft is away or not connected.');
    }
    try {
      $this->sender->send((array) $data);
    }
    catch (Away $error) {
      throw new SuspendQueueException($error->getMessage(), 0, $error);
    }
  }

}
