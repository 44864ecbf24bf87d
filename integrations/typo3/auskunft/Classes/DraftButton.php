<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use TYPO3\CMS\Backend\Routing\UriBuilder;
use TYPO3\CMS\Backend\Template\Components\ButtonBar;
use TYPO3\CMS\Backend\Template\Components\ModifyButtonBarEvent;
use TYPO3\CMS\Core\Imaging\IconFactory;

/** The button "Check my draft" above the elements of a page. */
final class DraftButton
{
    public function __construct(
        private readonly Settings $settings,
        private readonly UriBuilder $uris,
        private readonly IconFactory $icons,
    ) {}

    public function __invoke(ModifyButtonBarEvent $event): void
    {
        $request = $GLOBALS['TYPO3_REQUEST'] ?? null;
        $page = (int)($request?->getQueryParams()['id'] ?? 0);
        $module = $request?->getAttribute('route')?->getOption('_identifier');
        if ($module !== 'web_layout' || $page === 0 || $this->settings->missing() !== '') {
            return;
        }
        $language = max(0, (int)$request->getAttribute('moduleData')?->get('language', 0));
        $button = $event->getButtonBar()->makeLinkButton()
            ->setHref((string)$this->uris->buildUriFromRoute('auskunft_draft', ['id' => $page, 'language' => $language]))
            ->setTitle($GLOBALS['LANG']->sL('LLL:EXT:auskunft/Resources/Private/Language/locallang.xlf:ask_draft'))
            ->setShowLabelText(true)
            ->setIcon($this->icons->getIcon('actions-question'));
        $buttons = $event->getButtons();
        $buttons[ButtonBar::BUTTON_POSITION_RIGHT][0][] = $button;
        $event->setButtons($buttons);
    }
}
