<?php

declare(strict_types=1);

namespace Drupal\auskunft;

use Drupal\Core\Entity\ContentEntityInterface;
use Drupal\Core\StringTranslation\StringTranslationTrait;
use Drupal\Core\Url;

/**
 * "Check my draft" in the forms of pages: what a text would answer and contradict if it were published.
 */
final class Drafts {

  use StringTranslationTrait;

  private const WRAPPER = 'auskunft-draft';

  public function __construct(
    private readonly Connection $connection,
    private readonly Pages $pages,
  ) {}

  /**
   * Returns the part of the form beside its text; nothing for what is not sent.
   */
  public function box(ContentEntityInterface $page): array {
    if (!$this->connection->isComplete() || !$this->pages->isSent($page->getEntityTypeId())) {
      return [];
    }
    return [
      'auskunft_draft' => [
        '#type' => 'details',
        '#title' => $this->t('Check my draft'),
        '#group' => 'advanced',
        '#weight' => 90,
        'hint' => $this->paragraph((string) $this->t('The text is asked as it stands here. Nothing of it is stored.')),
        'question' => [
          '#type' => 'textfield',
          '#title' => $this->t('A question of your own'),
          '#description' => $this->t('Empty: what visitors ask.'),
          '#maxlength' => 2000,
          '#parents' => ['auskunft_question'],
        ],
        'ask' => [
          '#type' => 'button',
          '#value' => $this->t('Check my draft'),
          '#ajax' => ['callback' => '_auskunft_ask_draft', 'wrapper' => self::WRAPPER],
        ],
        'answer' => ['#type' => 'container', '#attributes' => ['id' => self::WRAPPER, 'role' => 'status']],
      ],
    ];
  }

  /**
   * Returns what is shown of a page's draft, or of its answer to one question.
   */
  public function ask(ContentEntityInterface $page, string $question): array {
    $question = trim($question);
    try {
      $report = $this->connection->ask($this->pages->draft($page) + ['question' => $question]);
    }
    catch (Refused $error) {
      return [$this->paragraph((string) $this->t('Auskunft did not take the draft: @why', ['@why' => $error->getMessage()]))];
    }
    $answers = array_merge(...array_map($this->answer(...), $report['answers']));
    if ($question !== '') {
      return $answers ?: [$this->paragraph((string) $this->t('The text does not answer this.'))];
    }
    $left = $report['left'] ? [$this->paragraph((string) $this->t('For @count more questions there was no time.', ['@count' => $report['left']]))] : [];
    $found = array_merge(...array_map($this->contradiction(...), $report['contradictions']));
    return [
      $this->paragraph((string) $this->t('What visitors ask'), 'h4'),
      $answers ?: $this->paragraph((string) $this->t('The text answers no open question.')),
      $left,
      $this->paragraph((string) $this->t('Contradictions'), 'h4'),
      $found ?: $this->paragraph((string) $this->t('No published page says otherwise.')),
    ];
  }

  private function answer(array $answer): array {
    $outcomes = [
      'answered' => $this->t('answered'),
      'doubtful' => $this->t('doubtful'),
      'unanswered' => $this->t('not answered'),
    ];
    $shown = [$this->paragraph($answer['question'], 'strong'), $this->paragraph((string) $outcomes[$answer['outcome']])];
    if ($answer['before']) {
      $shown[] = [$this->paragraph((string) $this->t('Another page comes first:')), $this->link($answer['before'])];
    }
    return $answer['passage'] === '' ? $shown : [...$shown, $this->paragraph($answer['passage'], 'blockquote')];
  }

  private function contradiction(array $found): array {
    return [
      $this->paragraph((string) $this->t('Your text:')),
      $this->paragraph($found['own'], 'blockquote'),
      $this->link($found['page']),
      $this->paragraph($found['other'], 'blockquote'),
    ];
  }

  private function link(array $page): array {
    if ($page['url'] === '') {
      return $this->paragraph($page['title']);
    }
    $attributes = ['target' => '_blank', 'rel' => 'noopener'];
    return ['#type' => 'link', '#title' => $page['title'], '#url' => Url::fromUri($page['url'], ['attributes' => $attributes])];
  }

  /**
   * Returns text as an element: #plain_text is escaped.
   */
  private function paragraph(string $text, string $tag = 'p'): array {
    return ['#type' => 'html_tag', '#tag' => $tag, 'text' => ['#plain_text' => $text]];
  }

}
