<?php

declare(strict_types=1);

namespace Drupal\auskunft;

use Drupal\Core\Config\ConfigFactoryInterface;
use Drupal\Core\Entity\ContentEntityInterface;
use Drupal\Core\Entity\EntityInterface;
use Drupal\Core\Entity\EntityTypeManagerInterface;
use Drupal\Core\Queue\QueueFactory;

/**
 * Puts what changed into the queue: which page, never what it became, as that is read when it is sent.
 *
 * An item is a list of pages, each [entity type, id, language that is gone or empty]. It is written in the
 * transaction of the save, so that it is there when, and only when, the change is.
 */
final class Changes {

  private const PAGES_IN_AN_ITEM = 50;

  private bool $noted = FALSE;

  public function __construct(
    private readonly ConfigFactoryInterface $config,
    private readonly QueueFactory $queues,
    private readonly EntityTypeManagerInterface $types,
  ) {}

  /**
   * Notes that an entity was saved or deleted; with $gone, that it lost this language.
   */
  public function note(EntityInterface $entity, string $gone = ''): void {
    if ($entity instanceof ContentEntityInterface) {
      $this->noteId($entity->getEntityTypeId(), (string) $entity->id(), $gone);
      $this->noteLanguages($entity);
    }
  }

  /**
   * Notes that the page of an entity changed.
   */
  public function noteId(string $type, string $id, string $gone = ''): void {
    if ($id !== '' && in_array($type, $this->sentTypes(), TRUE)) {
      $this->queue([[$type, $id, $gone]]);
    }
  }

  /**
   * Notes all pages; returns how many.
   */
  public function noteAll(): int {
    $count = 0;
    foreach ($this->sentTypes() as $type) {
      $ids = array_values($this->types->getStorage($type)->getQuery()->accessCheck(FALSE)->execute());
      foreach (array_chunk($ids, self::PAGES_IN_AN_ITEM) as $part) {
        $this->queue(array_map(static fn ($id) => [$type, (string) $id, ''], $part));
      }
      $count += count($ids);
    }
    return $count;
  }

  /**
   * Returns TRUE, once, if something was noted in this request.
   */
  public function takeNoted(): bool {
    $noted = $this->noted;
    $this->noted = FALSE;
    return $noted;
  }

  /**
   * Notes the language in which an entity was before its own language was changed.
   */
  private function noteLanguages(ContentEntityInterface $entity): void {
    $before = method_exists($entity, 'getOriginal') ? $entity->getOriginal() : ($entity->original ?? NULL);
    if ($before instanceof ContentEntityInterface) {
      foreach (array_diff_key($before->getTranslationLanguages(), $entity->getTranslationLanguages()) as $code => $_) {
        $this->noteId($entity->getEntityTypeId(), (string) $entity->id(), (string) $code);
      }
    }
  }

  /**
   * Returns the types that are sent and exist: a module may be gone.
   */
  private function sentTypes(): array {
    $types = (array) $this->config->get('auskunft.settings')->get('types');
    return array_values(array_filter($types, fn ($type) => $this->types->hasDefinition($type)));
  }

  private function queue(array $pages): void {
    $this->queues->get('auskunft', TRUE)->createItem($pages);
    $this->noted = TRUE;
  }

}
