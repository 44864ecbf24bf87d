<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use TYPO3\CMS\Backend\Utility\BackendUtility;
use TYPO3\CMS\Core\Database\ConnectionPool;
use TYPO3\CMS\Core\Site\SiteFinder;

/** "Check my draft": what a page would answer and contradict, as it is in the editor's workspace, hidden or not. */
final class Drafts
{
    public function __construct(
        private readonly ConnectionPool $connections,
        private readonly SiteFinder $sites,
        private readonly Client $client,
    ) {}

    /**
     * Returns what Auskunft says to a page in a language, or to one question alone.
     *
     * @throws Refused
     */
    public function ask(int $uid, int $language, string $question): array
    {
        $page = BackendUtility::getRecordWSOL('pages', $uid) ?? [];
        if ($language > 0) {
            $page = (BackendUtility::getRecordLocalization('pages', $uid, $language) ?: [$page])[0];
            BackendUtility::workspaceOL('pages', $page);
        }
        return $this->client->ask([
            'id' => (string)$uid,
            'language' => $this->code($uid, $language),
            'title' => (string)($page['title'] ?? ''),
            'html' => $this->html($uid, $language),
            'question' => trim($question),
        ]);
    }

    private function code(int $uid, int $language): string
    {
        foreach ($this->sites->getSiteByPageId($uid)->getLanguages() as $each) {
            $code = $each->getLocale()->getLanguageCode();
            if ($each->getLanguageId() === $language && preg_match('/^[a-z]{2}$/', $code)) {
                return $code;
            }
        }
        return 'und';
    }

    /** Returns headings and texts of the page's elements, but for hidden ones. */
    private function html(int $uid, int $language): string
    {
        $html = '';
        foreach ($this->elements($uid, $language) as $row) {
            BackendUtility::workspaceOL('tt_content', $row);
            if (is_array($row) && !$row['hidden']) {
                $header = htmlspecialchars((string)($row['header'] ?? ''));
                $html .= ($header === '' ? '' : "<h2>$header</h2>") . ($row['bodytext'] ?? '');
            }
        }
        return $html;
    }

    private function elements(int $uid, int $language): array
    {
        $sql = 'SELECT * FROM tt_content WHERE pid = ? AND sys_language_uid IN (?, -1) AND deleted = 0'
            . ' AND (t3ver_wsid = 0 OR (t3ver_wsid = ? AND t3ver_oid = 0)) ORDER BY colPos, sorting';
        $values = [$uid, $language, (int)($GLOBALS['BE_USER']->workspace ?? 0)];
        return $this->connections->getConnectionForTable('tt_content')->executeQuery($sql, $values)->fetchAllAssociative();
    }
}
