<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use TYPO3\CMS\Core\Http\ApplicationType;
use TYPO3\CMS\Core\Page\Event\BeforeJavaScriptsRenderingEvent;

/** The chat on every page of the website, if that is set. */
final class Widget
{
    public function __construct(private readonly Settings $settings) {}

    public function __invoke(BeforeJavaScriptsRenderingEvent $event): void
    {
        $request = $GLOBALS['TYPO3_REQUEST'] ?? null;
        $frontend = $request !== null && ApplicationType::fromRequest($request)->isFrontend();
        $wanted = $this->settings->get('everywhere') && $this->settings->url() && $this->settings->get('site');
        if (!$frontend || !$wanted || $event->isInline()) {
            return;
        }
        $attributes = ['data-site' => $this->settings->get('site'), 'async' => 'async'];
        $event->getAssetCollector()->addJavaScript('auskunft', $this->settings->url() . '/widget.js', $attributes);
    }
}
