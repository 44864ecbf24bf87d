<?php

declare(strict_types=1);

namespace Drupal\auskunft;

use Drupal\Core\Config\ConfigFactoryInterface;
use Drupal\Core\Entity\ContentEntityInterface;
use Drupal\Core\Entity\EntityChangedInterface;
use Drupal\Core\Entity\EntityPublishedInterface;
use Drupal\Core\Entity\EntityTypeManagerInterface;
use Drupal\Core\Extension\ModuleHandlerInterface;
use Drupal\Core\Render\RendererInterface;
use Drupal\Core\Session\AccountSwitcherInterface;
use Drupal\Core\Session\AnonymousUserSession;
use Drupal\Core\Theme\ThemeInitializationInterface;
use Drupal\Core\Theme\ThemeManagerInterface;
use Drupal\workspaces\WorkspaceManagerInterface;

/**
 * Entities as visitors who are not logged in see them, as events.
 */
final class Pages {

  public function __construct(
    private readonly ConfigFactoryInterface $config,
    private readonly EntityTypeManagerInterface $types,
    private readonly RendererInterface $renderer,
    private readonly AccountSwitcherInterface $accounts,
    private readonly ThemeManagerInterface $themes,
    private readonly ThemeInitializationInterface $themeInitialization,
    private readonly ModuleHandlerInterface $modules,
    private readonly ?WorkspaceManagerInterface $workspaces = NULL,
  ) {}

  /**
   * Returns the events that bring Auskunft up to date with a page: as it is now, whatever happened to it.
   *
   * @param string $type
   *   The entity type.
   * @param string $id
   *   The entity's id.
   * @param string $gone
   *   A language that the page had once, or an empty string.
   */
  public function events(string $type, string $id, string $gone = ''): array {
    // In an editor's workspace, entities are read as its drafts.
    $live = $this->workspaces
      ? fn (callable $read) => $this->workspaces->executeOutsideWorkspace($read)
      : static fn (callable $read) => $read();
    $failure = NULL;
    $events = $live(function () use ($type, $id, $gone, &$failure): array {
      try {
        return $this->liveEvents($type, $id, $gone);
      }
      catch (\Throwable $error) {
        // Not through the manager, which would not return to the workspace.
        $failure = $error;
        return [];
      }
    });
    return $failure ? throw $failure : $events;
  }

  /**
   * Returns a page as it was typed, as Auskunft is asked about it; it is neither saved nor cached.
   */
  public function draft(ContentEntityInterface $page): array {
    // As for Drupal's own preview: an unsaved node has no address.
    $page->in_preview = TRUE;
    return [
      'id' => $page->id() ? $page->getEntityTypeId() . '/' . $page->id() : '',
      'language' => self::language($page->language()->getId()),
      'title' => (string) $page->label(),
      'html' => $this->html($page),
    ];
  }

  private function liveEvents(string $type, string $id, string $gone): array {
    // Before it is read, so that a higher number never has older words.
    $base = ['id' => "$type/$id", 'revision' => (int) (microtime(TRUE) * 1000)];
    $entity = $this->types->getStorage($type)->loadUnchanged($id);
    if (!$entity instanceof ContentEntityInterface || !$this->isSent($type)) {
      return [['type' => 'page.deleted'] + $base];
    }
    $events = [];
    $lost = $gone !== '' && !$entity->hasTranslation($gone) ? [$gone => TRUE] : [];
    foreach (array_keys($entity->getTranslationLanguages() + $lost) as $code) {
      $language = self::language((string) $code);
      $event = isset($lost[$code]) ? NULL : $this->saved($entity->getTranslation($code), $base, $language);
      // Austria's German and Germany's are one language: the one that is public counts.
      if ($event || !isset($events[$language])) {
        $events[$language] = $event ?? ['type' => 'page.unpublished', 'language' => $language] + $base;
      }
    }
    return array_values($events);
  }

  /**
   * Returns the ISO 639-1 code of a language of Drupal.
   */
  private static function language(string $code): string {
    return preg_match('/^[a-z]{2}(?![a-z])/', strtolower($code), $found) ? $found[0] : 'und';
  }

  /**
   * Returns TRUE if the settings say that such entities are sent.
   */
  public function isSent(string $type): bool {
    return in_array($type, (array) $this->config->get('auskunft.settings')->get('types'), TRUE);
  }

  /**
   * Returns the event of a translation, or NULL if not everybody may see it.
   */
  private function saved(ContentEntityInterface $page, array $base, string $language): ?array {
    $hidden = $page instanceof EntityPublishedInterface && !$page->isPublished();
    if ($hidden || !$page->access('view', new AnonymousUserSession())) {
      return NULL;
    }
    $website = rtrim((string) $this->config->get('auskunft.settings')->get('website'), '/');
    $options = ['absolute' => TRUE] + ($website === '' ? [] : ['base_url' => $website]);
    $event = [
      'type' => 'page.saved',
      'language' => $language,
      'url' => $page->toUrl('canonical', $options)->toString(TRUE)->getGeneratedUrl(),
      'title' => (string) $page->label(),
      'html' => $this->html($page),
    ] + $base;
    if ($page instanceof EntityChangedInterface) {
      $event['updated'] = date(DATE_ATOM, (int) $page->getChangedTime());
    }
    // Modules may change the event, or set it to NULL for a page that is not to be sent.
    $this->modules->alter('auskunft_event', $event, $page);
    return $event;
  }

  /**
   * Renders a page as the website's theme shows it to somebody who is not logged in.
   */
  private function html(ContentEntityInterface $page): string {
    $theme = $this->themes->getActiveTheme();
    $shown = (string) $this->config->get('system.theme')->get('default');
    $this->accounts->switchTo(new AnonymousUserSession());
    $this->themes->setActiveTheme($this->themeInitialization->getActiveThemeByName($shown));
    try {
      $view = $this->types->getViewBuilder($page->getEntityTypeId());
      $build = $view->view($page, 'full', $page->language()->getId());
      if (!empty($page->in_preview)) {
        unset($build['#cache']['keys']);
      }
      // The chat, as a block within the content, is no text of the page.
      return (string) preg_replace('#<auskunft-chat\b.*?</auskunft-chat>#s', '', (string) $this->renderer->renderInIsolation($build));
    }
    finally {
      $this->themes->setActiveTheme($theme);
      $this->accounts->switchBack();
    }
  }

}
