<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use GuzzleHttp\Exception\GuzzleException;
use TYPO3\CMS\Core\Http\RequestFactory;

/** Sends messages, signed as Standard Webhooks says. */
final class Client
{
    private const TIMEOUT_SECONDS = 10;
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
        [$status, $detail, $pause] = $this->post($events);
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

    /** Returns status (0: no answer), detail, and the seconds that the service asks to wait. */
    private function post(array $events): array
    {
        $flags = JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
        $body = json_encode(['events' => $events], $flags | JSON_THROW_ON_ERROR);
        $url = $this->settings->url() . '/api/sources/' . rawurlencode($this->settings->get('source')) . '/events';
        try {
            $answer = $this->http->request($url, 'POST', [
                'body' => $body,
                'headers' => $this->headers($body),
                'timeout' => self::TIMEOUT_SECONDS,
                'http_errors' => false,
                'allow_redirects' => false,
            ]);
        } catch (GuzzleException $error) {
            return [0, $error->getMessage(), 0];
        }
        $problem = json_decode((string)$answer->getBody(), true);
        $detail = $this->detail($answer->getStatusCode(), is_array($problem) ? $problem : []);
        return [$answer->getStatusCode(), $detail, (int)$answer->getHeaderLine('Retry-After')];
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
