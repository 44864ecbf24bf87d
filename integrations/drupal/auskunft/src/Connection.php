<?php

declare(strict_types=1);

namespace Drupal\auskunft;

use Drupal\Core\Config\ConfigFactoryInterface;
use Drupal\Core\State\StateInterface;
use GuzzleHttp\ClientInterface;
use GuzzleHttp\Exception\GuzzleException;

/**
 * Sends messages, signed as Standard Webhooks says, and remembers what the last try came to.
 */
final class Connection {

  private const TIMEOUT_SECONDS = 10;
  private const DRAFT_TIMEOUT_SECONDS = 30;
  private const PAUSE_SECONDS = 5;
  private const LONGEST_PAUSE_SECONDS = 900;
  private const OF_THE_CONTENT = [400, 413, 422];
  private const NONE = ['until' => 0, 'failures' => 0, 'error' => '', 'sent_at' => 0];

  public function __construct(
    private readonly ConfigFactoryInterface $config,
    private readonly StateInterface $state,
    private readonly ClientInterface $http,
  ) {}

  /**
   * Returns the bytes of a secret, or an empty string where it is none.
   */
  public static function key(string $secret): string {
    $key = base64_decode(preg_replace('/^whsec_/', '', trim($secret)), TRUE);
    return $key === FALSE || strlen($key) < 24 ? '' : $key;
  }

  /**
   * Returns TRUE if everything is set that a message needs.
   */
  public function isComplete(): bool {
    return $this->setting('url') !== '' && $this->setting('source') !== '' && self::key($this->setting('secret')) !== '';
  }

  /**
   * Returns TRUE while Auskunft is left alone, because it did not answer.
   */
  public function isAway(): bool {
    return $this->state()['until'] > time();
  }

  /**
   * Returns until, failures, error and sent_at of the last tries.
   */
  public function state(): array {
    return $this->state->get('auskunft.state', []) + self::NONE;
  }

  /**
   * Forgets failures, so that the next try is at once.
   */
  public function tryAgain(): void {
    $this->state->set('auskunft.state', ['until' => 0, 'failures' => 0] + $this->state());
  }

  /**
   * Sends events; returns the jobs that they became.
   *
   * @throws \Drupal\auskunft\Away
   * @throws \Drupal\auskunft\Refused
   */
  public function send(array $events): array {
    [$status, $detail, $pause, $said] = $this->post('events', ['events' => $events], self::TIMEOUT_SECONDS);
    if ($status === 202) {
      $this->state->set('auskunft.state', ['sent_at' => time()] + self::NONE);
      return (array) ($said['jobs'] ?? []);
    }
    if (in_array($status, self::OF_THE_CONTENT, TRUE)) {
      throw new Refused($detail);
    }
    $this->failed($detail, $pause);
    throw new Away($detail);
  }

  /**
   * Returns what a draft would answer, and what contradicts it.
   *
   * @throws \Drupal\auskunft\Refused
   */
  public function ask(array $draft): array {
    $draft['site'] = $this->setting('site');
    [$status, $detail, , $said] = $this->post('draft', array_filter($draft), self::DRAFT_TIMEOUT_SECONDS);
    if ($status === 200 && !is_array($said['answers'] ?? NULL)) {
      throw new Refused('no answer from ' . $this->setting('url'));
    }
    return $status === 200 ? $said : throw new Refused($detail);
  }

  /**
   * Notes that no message was taken: the pause doubles with every try.
   */
  private function failed(string $error, int $pause): void {
    $state = $this->state();
    $wait = min(self::LONGEST_PAUSE_SECONDS, self::PAUSE_SECONDS * 2 ** min(10, $state['failures']));
    $news = ['until' => time() + max($pause, $wait), 'failures' => $state['failures'] + 1, 'error' => $error];
    $this->state->set('auskunft.state', $news + $state);
  }

  /**
   * Returns status (0: no answer), detail, the seconds that the service asks to wait, and what it said.
   */
  private function post(string $what, array $document, int $seconds): array {
    $flags = JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
    $body = json_encode($document, $flags | JSON_THROW_ON_ERROR);
    $url = rtrim($this->setting('url'), '/') . '/api/sources/' . rawurlencode($this->setting('source')) . "/$what";
    try {
      $answer = $this->http->request('POST', $url, [
        'body' => $body,
        'headers' => $this->headers($body),
        'timeout' => $seconds,
        'http_errors' => FALSE,
        'allow_redirects' => FALSE,
      ]);
    }
    catch (GuzzleException $error) {
      return [0, $error->getMessage(), 0, []];
    }
    $said = json_decode((string) $answer->getBody(), TRUE);
    $said = is_array($said) ? $said : [];
    $detail = self::detail($answer->getStatusCode(), $said);
    return [$answer->getStatusCode(), $detail, (int) $answer->getHeaderLine('Retry-After'), $said];
  }

  private function headers(string $body): array {
    $id = 'msg_' . bin2hex(random_bytes(16));
    $now = time();
    $hash = hash_hmac('sha256', "$id.$now.$body", self::key($this->setting('secret')), TRUE);
    return [
      'Content-Type' => 'application/json',
      'webhook-id' => $id,
      'webhook-timestamp' => (string) $now,
      'webhook-signature' => 'v1,' . base64_encode($hash),
    ];
  }

  private static function detail(int $status, array $problem): string {
    $said = [$status . ' ' . ($problem['detail'] ?? '')];
    foreach ($problem['fields'] ?? [] as $field) {
      $said[] = ($field['field'] ?? '') . ': ' . ($field['message'] ?? '');
    }
    return trim(implode('; ', $said));
  }

  private function setting(string $name): string {
    return (string) $this->config->get('auskunft.settings')->get($name);
  }

}
