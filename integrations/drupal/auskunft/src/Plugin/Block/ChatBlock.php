<?php

declare(strict_types=1);

namespace Drupal\auskunft\Plugin\Block;

use Drupal\Core\Block\Attribute\Block;
use Drupal\Core\Block\BlockBase;
use Drupal\Core\StringTranslation\TranslatableMarkup;

/**
 * The chat within a page; a link where scripts are off.
 */
#[Block(id: 'auskunft_chat', admin_label: new TranslatableMarkup('Chat of Auskunft'), category: new TranslatableMarkup('Auskunft'))]
final class ChatBlock extends BlockBase {

  /**
   * {@inheritdoc}
   */
  public function build(): array {
    $config = \Drupal::config('auskunft.settings');
    $url = rtrim((string) $config->get('url'), '/');
    $site = (string) $config->get('site');
    $build = ['#cache' => ['tags' => ['config:auskunft.settings']]];
    if ($url === '' || $site === '') {
      return $build;
    }
    $script = ['#tag' => 'script', '#attributes' => ['src' => "$url/widget.js", 'async' => TRUE]];
    return $build + [
      '#type' => 'inline_template',
      '#template' => '<auskunft-chat site="{{ site }}"><a href="{{ url }}/chat?site={{ site|url_encode }}">{{ text }}</a></auskunft-chat>',
      '#context' => ['site' => $site, 'url' => $url, 'text' => $this->t('Ask a question')],
      '#attached' => $config->get('everywhere') ? [] : ['html_head' => [[$script, 'auskunft']]],
    ];
  }

}
