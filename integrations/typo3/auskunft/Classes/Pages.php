<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

use TYPO3\CMS\Core\Database\ConnectionPool;
use TYPO3\CMS\Core\Exception\SiteNotFoundException;
use TYPO3\CMS\Core\Site\Entity\Site;
use TYPO3\CMS\Core\Site\Entity\SiteLanguage;
use TYPO3\CMS\Core\Site\SiteFinder;

/** Pages as visitors see them, as events. The website itself says who may see a page, and what is on it. */
final class Pages
{
    /** Links, shortcuts, sections for backend users, mount points and separators. */
    private const WITHOUT_CONTENT = [3, 4, 6, 7, 199];
    private const FIRST_FOLDER = 200;

    public function __construct(
        private readonly ConnectionPool $connections,
        private readonly SiteFinder $sites,
        private readonly Website $website,
    ) {}

    /**
     * Returns the events that bring Auskunft up to date with a page: as it is now, whatever happened to it.
     *
     * @param array $row a row of the queue
     */
    public function events(array $row): array
    {
        $base = ['id' => (int)$row['page'], 'revision' => (int)$row['changed']];
        $page = $this->record('uid = ? AND t3ver_wsid = 0', [$row['page']]);
        if ($page === null || $page['deleted']) {
            return [['type' => 'page.deleted'] + $base];
        }
        $saved = $this->saved($page, $base);
        if (!$saved) {
            return [['type' => 'page.unpublished'] + $base];
        }
        $gone = array_diff(array_filter(explode(',', $row['languages'])), array_keys($saved));
        $unpublished = array_map(static fn($code) => ['type' => 'page.unpublished', 'language' => $code] + $base, $gone);
        return array_merge($unpublished, array_values($saved));
    }

    /**
     * Returns when the clock changes the page next: a beginning or end of it, or of something on it; 0: never.
     *
     * TYPO3 compares with full minutes, so a beginning at 8:00:01 is seen from 8:01 on.
     */
    public function nextChange(int $uid): int
    {
        $times = [];
        foreach (['pages' => '(uid = ? OR l10n_parent = ?)', 'tt_content' => '(pid = ? AND pid = ?)'] as $table => $which) {
            foreach (['starttime', 'endtime'] as $field) {
                $sql = "SELECT MIN($field) FROM $table WHERE $which AND deleted = 0 AND $field > ?";
                $connection = $this->connections->getConnectionForTable($table);
                $times[] = (int)$connection->executeQuery($sql, [$uid, $uid, time()])->fetchOne();
            }
        }
        return 60 * (int)ceil(min(array_filter($times) ?: [0]) / 60);
    }

    /** Returns the event of each language in which everybody may see the page. */
    private function saved(array $page, array $base): array
    {
        $events = [];
        $site = $this->hasContent($page) ? $this->site((int)$page['uid']) : null;
        foreach ($site?->getLanguages() ?? [] as $language) {
            $code = $language->getLocale()->getLanguageCode();
            $code = preg_match('/^[a-z]{2}$/', $code) ? $code : 'und';
            $record = $this->translation($page, $language->getLanguageId());
            if ($record && !isset($events[$code]) && $event = $this->event($site, $language, $record, $base)) {
                $events[$code] = ['type' => 'page.saved', 'language' => $code] + $event;
            }
        }
        return $events;
    }

    private function event(Site $site, SiteLanguage $language, array $record, array $base): ?array
    {
        $address = (string)$site->getRouter()->generateUri($base['id'], ['_language' => $language]);
        if (!preg_match('#^https?://#', $address)) {
            throw new \RuntimeException('give the site a base that begins with https:// (Sites, entry point)');
        }
        $html = $this->website->page($address);
        if ($html === null) {
            if ($base['id'] === $site->getRootPageId() && !$this->isRestricted($record)) {
                throw new \RuntimeException("visitors do not get the site's first page: $address");
            }
            return null;
        }
        return array_filter($base + [
            'url' => $address,
            'title' => ($record['seo_title'] ?? '') ?: $record['title'],
            'name' => ($record['nav_title'] ?? '') ?: $record['title'],
            'description' => ($record['description'] ?? '') ?: ($record['abstract'] ?? ''),
            'keywords' => $record['keywords'] ?? '',
            'html' => $html,
            'updated' => date(DATE_ATOM, (int)(($record['SYS_LASTCHANGED'] ?? 0) ?: $record['tstamp'])),
            'publish_until' => $record['endtime'] ? date(DATE_ATOM, (int)$record['endtime']) : null,
        ]);
    }

    /** Whether the record says that not everybody sees the page now. */
    private function isRestricted(array $record): bool
    {
        $ended = $record['endtime'] && $record['endtime'] <= time();
        return $record['hidden'] || $record['fe_group'] || $record['starttime'] > time() || $ended;
    }

    private function hasContent(array $page): bool
    {
        $kind = (int)$page['doktype'];
        return $kind < self::FIRST_FOLDER && !in_array($kind, self::WITHOUT_CONTENT, true) && !($page['no_search'] ?? 0);
    }

    private function site(int $uid): ?Site
    {
        try {
            return $this->sites->getSiteByPageId($uid);
        } catch (SiteNotFoundException) {
            return null;
        }
    }

    /** Returns the record of a page in a language: a page without one shows another language's text. */
    private function translation(array $page, int $language): ?array
    {
        if ($language === (int)$page['sys_language_uid']) {
            return $page;
        }
        $where = 'l10n_parent = ? AND sys_language_uid = ? AND deleted = 0 AND hidden = 0 AND t3ver_wsid = 0';
        return $this->record($where, [$page['uid'], $language]);
    }

    private function record(string $where, array $values): ?array
    {
        $connection = $this->connections->getConnectionForTable('pages');
        return $connection->executeQuery("SELECT * FROM pages WHERE $where", $values)->fetchAssociative() ?: null;
    }
}
