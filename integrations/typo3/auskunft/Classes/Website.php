<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use GuzzleHttp\Exception\GuzzleException;
use TYPO3\CMS\Core\Http\RequestFactory;

/** The website, as a visitor who is not logged in gets it. */
final class Website
{
    private const TIMEOUT_SECONDS = 30;
    private const NOT_FOR_EVERYBODY = [403, 404, 410];
    private const REDIRECTED = [301, 302, 303, 307, 308];

    public function __construct(private readonly RequestFactory $http) {}

    /**
     * Returns a page's HTML, or null if not everybody gets it.
     *
     * @throws \RuntimeException if the website cannot show it
     */
    public function page(string $address): ?string
    {
        try {
            $answer = $this->http->request($address, 'GET', [
                'headers' => ['User-Agent' => 'auskunft', 'Cache-Control' => 'no-cache'],
                'timeout' => self::TIMEOUT_SECONDS,
                'http_errors' => false,
                'allow_redirects' => false,
            ]);
        } catch (GuzzleException $error) {
            throw new \RuntimeException("this server does not get $address: " . $error->getMessage(), 0, $error);
        }
        $target = in_array($answer->getStatusCode(), self::REDIRECTED, true) ? $answer->getHeaderLine('Location') : '';
        if (in_array($answer->getStatusCode(), self::NOT_FOR_EVERYBODY, true) || $this->isAnotherPage($address, $target)) {
            return null;
        }
        if ($answer->getStatusCode() !== 200) {
            $what = trim($answer->getStatusCode() . ' ' . $target);
            throw new \RuntimeException("the website answers $what to visitors of $address");
        }
        return str_starts_with($answer->getHeaderLine('Content-Type'), 'text/html') ? (string)$answer->getBody() : null;
    }

    /** Whether a redirect is to another page of the website, as to that of the login; else the site's base may be wrong. */
    private function isAnotherPage(string $address, string $target): bool
    {
        $from = parse_url($address);
        $to = parse_url($target);
        if ($target === '' || !is_array($from) || !is_array($to)) {
            return false;
        }
        // A path alone is on the same host.
        $to += isset($to['host']) ? ['scheme' => $from['scheme'] ?? ''] : $from;
        foreach (['scheme', 'host', 'port'] as $part) {
            if (($to[$part] ?? '') !== ($from[$part] ?? '')) {
                return false;
            }
        }
        return rtrim($to['path'] ?? '', '/') !== rtrim($from['path'] ?? '', '/');
    }
}
