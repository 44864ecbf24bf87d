<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use GuzzleHttp\Exception\GuzzleException;
use TYPO3\CMS\Core\Http\RequestFactory;

/** The website, as a visitor who is not logged in gets it. */
final class Website
{
    private const TIMEOUT_SECONDS = 30;
    private const NOT_FOR_EVERYBODY = [301, 302, 303, 307, 308, 401, 403, 404, 410];

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
            throw new Away("this server does not get $address: " . $error->getMessage(), 0, $error);
        }
        if (in_array($answer->getStatusCode(), self::NOT_FOR_EVERYBODY, true)) {
            return null;
        }
        if ($answer->getStatusCode() === 503) {
            throw new Away("the website is in maintenance: $address");
        }
        if ($answer->getStatusCode() !== 200) {
            throw new \RuntimeException("the website answers {$answer->getStatusCode()} to visitors of $address");
        }
        return str_starts_with($answer->getHeaderLine('Content-Type'), 'text/html') ? (string)$answer->getBody() : null;
    }
}
