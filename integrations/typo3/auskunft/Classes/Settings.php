<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use TYPO3\CMS\Core\Configuration\ExtensionConfiguration;

/** The extension's configuration. A secret in the environment goes first. */
final class Settings
{
    public function __construct(private readonly ExtensionConfiguration $configuration) {}

    public function get(string $name): string
    {
        $secret = $name === 'secret' ? (string)getenv('AUSKUNFT_SECRET') : '';
        $given = (array)$this->configuration->get('auskunft');
        return $secret !== '' ? $secret : trim((string)($given[$name] ?? ''));
    }

    /** Auskunft's address, without a slash at its end. */
    public function url(): string
    {
        return rtrim($this->get('url'), '/');
    }

    /** The secret's bytes, or an empty string where it is none. */
    public function key(): string
    {
        $key = base64_decode((string)preg_replace('/^whsec_/', '', $this->get('secret')), true);
        return $key === false || strlen($key) < 24 ? '' : $key;
    }

    /** What is missing before anything can be sent, as a sentence; empty if nothing is. */
    public function missing(): string
    {
        if (!preg_match('#^https?://[^/\s]+#', $this->url())) {
            return 'url: give an address that begins with https://';
        }
        if (!preg_match('/^[a-z0-9][a-z0-9_-]{0,63}$/', $this->get('source'))) {
            return 'source: give the name of the source in auskunft.toml';
        }
        return $this->key() === '' ? 'secret: copy all of it, from whsec_ to its end' : '';
    }
}
