<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use GuzzleHttp\Exception\GuzzleException;
use TYPO3\CMS\Core\Http\RequestFactory;

/** Sends messages, signed as Standard Webhooks says. */
final class Client
{
    private const TIMEOUT_SECONDS = 10;
    private const DRAFT_TIMEOUT_SECONDS = 30;
    private const OF_THE_CONTENT = [400, 413, 422];

    public function __construct(
        private readonly RequestFactory $http,
        private readonly Settings $settings,
        private readonly State $state,
    ) {}

    /**
     * Sends events.
     *
     * @throws Away
     * @throws Refused
     */
    public function send(array $events): void
    {
        [$status, $detail, $pause] = $this->post('events', ['events' => $events], self::TIMEOUT_SECONDS);
        if ($status === 202) {
            $this->state->succeeded();
            return;
        }
        if (in_array($status, self::OF_THE_CONTENT, true)) {
            throw new Refused($detail);
        }
        $this->state->failed($detail, $pause);
        throw new Away($detail);
    }

    /**
     * Returns what a draft would answer, and what contradicts it.
     *
     * @throws Refused
     */
    public function ask(array $draft): array
    {
        $draft['site'] = $this->settings->get('site');
        [$status, $detail, , $said] = $this->post('draft', array_filter($draft), self::DRAFT_TIMEOUT_SECONDS);
        if ($status === 200 && !is_array($said['answers'] ?? null)) {
            throw new Refused('no answer from ' . $this->settings->url());
        }
        return $status === 200 ? $said : throw new Refused($detail);
    }

    /** Returns status (0: no answer), detail, the seconds that the service asks to wait, and what it said. */
    private function post(string $what, array $document, int $seconds): array
    {
        $flags = JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
        $body = json_encode($document, $flags | JSON_THROW_ON_ERROR);
        $url = $this->settings->url() . '/api/sources/' . rawurlencode($this->settings->get('source')) . "/$what";
        try {
            $answer = $this->http->request($url, 'POST', [
                'body' => $body,
                'headers' => $this->headers($body),
                'timeout' => $seconds,
                'http_errors' => false,
                'allow_redirects' => false,
            ]);
        } catch (GuzzleException $error) {
            return [0, $error->getMessage(), 0, []];
        }
        $said = json_decode((string)$answer->getBody(), true);
        $said = is_array($said) ? $said : [];
        $detail = $this->detail($answer->getStatusCode(), $said);
        return [$answer->getStatusCode(), $detail, (int)$answer->getHeaderLine('Retry-After'), $said];
    }

    private function headers(string $body): array
    {
        $id = 'msg_' . bin2hex(random_bytes(16));
        $now = time();
        $hash = hash_hmac('sha256', "$id.$now.$body", $this->settings->key(), true);
        return [
            'Content-Type' => 'application/json',
            'webhook-id' => $id,
            'webhook-timestamp' => (string)$now,
            'webhook-signature' => 'v1,' . base64_encode($hash),
        ];
    }

    private function detail(int $status, array $problem): string
    {
        $said = [$status . ' ' . ($problem['detail'] ?? '')];
        foreach ($problem['fields'] ?? [] as $field) {
            $said[] = ($field['field'] ?? '') . ': ' . ($field['message'] ?? '');
        }
        return trim(implode('; ', $said));
    }
}
