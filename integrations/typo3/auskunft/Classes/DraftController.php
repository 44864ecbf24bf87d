<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use TYPO3\CMS\Backend\Routing\UriBuilder;
use TYPO3\CMS\Backend\Template\ModuleTemplateFactory;
use TYPO3\CMS\Backend\Utility\BackendUtility;
use TYPO3\CMS\Core\Exception\SiteNotFoundException;
use TYPO3\CMS\Core\Type\Bitmask\Permission;

/** The page behind the button "Check my draft". */
final class DraftController
{
    public function __construct(
        private readonly Drafts $drafts,
        private readonly ModuleTemplateFactory $templates,
        private readonly UriBuilder $uris,
    ) {}

    public function show(ServerRequestInterface $request): ResponseInterface
    {
        $given = (array)$request->getParsedBody() + $request->getQueryParams();
        [$page, $language, $question] = [(int)($given['id'] ?? 0), (int)($given['language'] ?? 0), (string)($given['question'] ?? '')];
        $view = $this->templates->create($request);
        $view->assignMultiple([
            'question' => $question,
            'back' => (string)$this->uris->buildUriFromRoute('web_layout', ['id' => $page]),
            'here' => (string)$this->uris->buildUriFromRoute('auskunft_draft', ['id' => $page, 'language' => $language]),
        ]);
        try {
            $this->check($page, $language);
            $view->assign('report', $this->drafts->ask($page, $language, $question));
        } catch (Refused|SiteNotFoundException $error) {
            $view->assign('problem', $error->getMessage());
        }
        return $view->renderResponse('Draft');
    }

    /** @throws Refused for those who may not change the page's content */
    private function check(int $page, int $language): void
    {
        $user = $GLOBALS['BE_USER'];
        $clause = $user->getPagePermsClause(Permission::CONTENT_EDIT);
        if (!BackendUtility::readPageAccess($page, $clause) || !$user->checkLanguageAccess($language)) {
            throw new Refused($GLOBALS['LANG']->sL('LLL:EXT:auskunft/Resources/Private/Language/locallang.xlf:forbidden'));
        }
    }
}
