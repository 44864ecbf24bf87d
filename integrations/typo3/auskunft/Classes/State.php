<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use TYPO3\CMS\Core\Registry;

/** What the last tries to send came to. */
final class State
{
    private const PAUSE_SECONDS = 5;
    private const LONGEST_PAUSE_SECONDS = 900;
    private const NONE = ['until' => 0, 'failures' => 0, 'error' => '', 'sent_at' => 0];

    public function __construct(private readonly Registry $registry) {}

    /** until, failures, error, sent_at: whether Auskunft was away, and until when to leave it alone. */
    public function get(): array
    {
        return (array)$this->registry->get('auskunft', 'state', []) + self::NONE;
    }

    public function isAway(): bool
    {
        return $this->get()['until'] > time();
    }

    /** Notes that no message was taken: the pause doubles with every try. */
    public function failed(string $error, int $pause = 0): void
    {
        $state = $this->get();
        $wait = min(self::LONGEST_PAUSE_SECONDS, self::PAUSE_SECONDS * 2 ** min(10, $state['failures']));
        $news = ['until' => time() + max($pause, $wait), 'failures' => $state['failures'] + 1, 'error' => $error];
        $this->registry->set('auskunft', 'state', $news + $state);
    }

    public function succeeded(): void
    {
        $this->registry->set('auskunft', 'state', ['sent_at' => time()] + self::NONE);
    }

    /** Forgets failures, so that the next try is at once. */
    public function tryAgain(): void
    {
        $this->registry->set('auskunft', 'state', ['until' => 0, 'failures' => 0] + $this->get());
    }
}
