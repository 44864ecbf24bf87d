<?php

/**
 * Runs the extension without TYPO3: exactly those of its classes that the extension uses, with the signatures of
 * TYPO3 13.4, over one SQLite file. Usage: php typo3.php FOLDER CODE; prints what the code returns, as JSON.
 * As the router of PHP's own server it is the website.
 */

namespace TYPO3\CMS\Core\Configuration {
    class ExtensionConfiguration {
        public function get(string $extension, string $path = ''): mixed { return \Stub\Database::value('settings', []); }
    }
}
namespace TYPO3\CMS\Backend\Utility {
    class BackendUtility {
        public static function getRecordWSOL($table, $uid, $fields = '*', $where = '', $useDeleteClause = true, $unsetMovePointers = false) {
            return \Stub\Database::rows("SELECT * FROM $table WHERE uid = ?", [$uid])[0] ?? null;
        }
        public static function getRecordLocalization($table, $uid, $language, $andWhereClause = '') {
            return \Stub\Database::rows("SELECT * FROM $table WHERE l10n_parent = ? AND sys_language_uid = ?", [$uid, $language]) ?: false;
        }
        /** The version of the editor's workspace in place of a record. */
        public static function workspaceOL($table, &$row, $wsid = -99, $unsetMovePointers = false) {
            $versions = \Stub\Database::rows("SELECT * FROM $table WHERE t3ver_oid = ? AND t3ver_wsid = ?", [$row['uid'], $GLOBALS['BE_USER']->workspace ?? 0]);
            $row = $versions[0] ?? $row;
        }
    }
}
namespace TYPO3\CMS\Core {
    class Registry {
        public function get($namespace, $key, $defaultValue = null) { return \Stub\Database::value("$namespace/$key", $defaultValue); }
        public function set($namespace, $key, $value) { \Stub\Database::set("$namespace/$key", $value); }
    }
}
namespace TYPO3\CMS\Core\Cache {
    class CacheManager { public function getCache($identifier) { return new \Stub\Cache(); } }
}
namespace TYPO3\CMS\Core\Http {
    class RequestFactory {
        public function request(string $uri, string $method = 'GET', array $options = []): object {
            return (new \Stub\Http())->request($method, $uri, $options);
        }
    }
}
namespace TYPO3\CMS\Core\Exception {
    class SiteNotFoundException extends \RuntimeException {}
}
namespace TYPO3\CMS\Core\Locking {
    interface LockingStrategyInterface {
        public const LOCK_CAPABILITY_EXCLUSIVE = 1;
        public const LOCK_CAPABILITY_NOBLOCK = 4;
    }
    class LockFactory {
        public function createLocker(string $id, int $capabilities = LockingStrategyInterface::LOCK_CAPABILITY_EXCLUSIVE): object {
            return new \Stub\Lock($id);
        }
    }
}
namespace TYPO3\CMS\Core\Locking\Exception {
    class LockAcquireWouldBlockException extends \RuntimeException {}
}
namespace TYPO3\CMS\Core\Site\Entity {
    class Site {
        /** @return SiteLanguage[] */
        public function getLanguages(): array {
            return [new SiteLanguage(0, 'en', '/'), new SiteLanguage(1, 'de', '/de/')];
        }
        public function getRootPageId(): int { return (int)\Stub\Database::value('root', 0); }
        public function getRouter($context = null): object { return new \Stub\Router(); }
    }
    class SiteLanguage {
        public function __construct(private int $id, private string $code, public string $base) {}
        public function getLanguageId(): int { return $this->id; }
        public function getLocale(): object { return new \Stub\Locale($this->code); }
    }
}
namespace TYPO3\CMS\Core\Site {
    class SiteFinder {
        public function getSiteByPageId(int $pageId, ?array $rootLine = null, ?string $mountPointParameter = null): Entity\Site {
            return new Entity\Site();
        }
    }
}
namespace TYPO3\CMS\Core\Database {
    class Connection {
        public function __construct(private \PDO $pdo) {}
        public function executeQuery(string $sql, array $params = [], array $types = []): object {
            $statement = $this->pdo->prepare($sql);
            $statement->execute($params);
            return new \Stub\Result($statement);
        }
        public function quoteIdentifier(string $identifier): string { return "\"$identifier\""; }
        public function insert(string $tableName, array $data, array $types = []): int {
            try {
                $names = implode(',', array_keys($data));
                $marks = implode(',', array_fill(0, count($data), '?'));
                $this->executeQuery("INSERT INTO $tableName ($names) VALUES ($marks)", array_values($data));
            } catch (\PDOException $error) {
                throw new \Doctrine\DBAL\Exception\UniqueConstraintViolationException($error->getMessage());
            }
            return 1;
        }
        public function update(string $tableName, array $data, array $identifier = [], array $types = []): int {
            $set = implode(',', array_map(fn ($name) => "$name = ?", array_keys($data)));
            $where = implode(' AND ', array_map(fn ($name) => "$name = ?", array_keys($identifier)));
            $this->executeQuery("UPDATE $tableName SET $set WHERE $where", [...array_values($data), ...array_values($identifier)]);
            return 1;
        }
    }
    class ConnectionPool {
        public function getConnectionForTable(string $tableName): Connection { return new Connection(\Stub\Database::$pdo); }
    }
}
namespace Doctrine\DBAL\Exception {
    class UniqueConstraintViolationException extends \RuntimeException {}
}
namespace GuzzleHttp {
    interface ClientInterface { public function request(string $method, $uri, array $options = []); }
}
namespace GuzzleHttp\Exception {
    interface GuzzleException extends \Throwable {}
    class ConnectException extends \RuntimeException implements GuzzleException {}
}
namespace Symfony\Component\Console\Command {
    class Command {
        public const SUCCESS = 0;
        public const FAILURE = 1;
        public const INVALID = 2;
        private array $options = [];
        public function __construct(?string $name = null) { $this->configure(); }
        protected function configure() {}
        public function addOption(string $name, $shortcut = null, ?int $mode = null, string $description = ''): static {
            $this->options[] = $name;
            return $this;
        }
        public function run(array $given): array {
            \assert(!array_diff($given, $this->options));
            $output = new \Stub\Output();
            return [$this->execute(new \Stub\Input($given), $output), $output->text];
        }
    }
}
namespace Symfony\Component\Console\Input {
    interface InputInterface { public function getOption(string $name); }
    class InputOption { public const VALUE_NONE = 1; }
}
namespace Symfony\Component\Console\Output {
    interface OutputInterface { public function writeln(string|iterable $messages, int $options = 0); }
}
namespace TYPO3\CMS\Core\DataHandling {

    /** Writes records and calls the hooks with all that they are documented to get. */
    class DataHandler {
        public array $substNEWwithIDs = [];

        /** New records have ids that begin with NEW. */
        public function save(string $table, string|int $id, array $fields): int {
            $connection = new \TYPO3\CMS\Core\Database\Connection(\Stub\Database::$pdo);
            $status = is_string($id) ? 'new' : 'update';
            if ($status === 'new') {
                $connection->insert($table, $fields);
                $this->substNEWwithIDs[$id] = (int)\Stub\Database::$pdo->lastInsertId();
            } else {
                $connection->update($table, $fields, ['uid' => $id]);
            }
            foreach ($this->hooks('processDatamapClass') as $hook) {
                $hook->processDatamap_afterDatabaseOperations($status, $table, $id, $fields, $this);
            }
            return (int)($this->substNEWwithIDs[$id] ?? $id);
        }

        /** Does what the callable does to a record, between the hooks of the command. */
        public function command(string $command, string $table, int $id, mixed $value, callable $do): void {
            $pasteUpdate = false;
            $pasteDatamap = [];
            foreach ($this->hooks('processCmdmapClass') as $hook) {
                $hook->processCmdmap_preProcess($command, $table, $id, $value, $this, $pasteUpdate);
            }
            $do($this);
            foreach ($this->hooks('processCmdmapClass') as $hook) {
                $hook->processCmdmap_postProcess($command, $table, $id, $value, $this, $pasteUpdate, $pasteDatamap);
            }
        }

        private function hooks(string $kind): array {
            $names = $GLOBALS['TYPO3_CONF_VARS']['SC_OPTIONS']['t3lib/class.t3lib_tcemain.php'][$kind];
            return array_map(\Stub\Container::get(...), $names);
        }
    }
}

namespace Stub {

    require __DIR__ . '/http.php';

    final class Database {
        public static \PDO $pdo;
        private const PAGE = 'uid INTEGER PRIMARY KEY AUTOINCREMENT, pid INT DEFAULT 1, deleted INT DEFAULT 0, hidden INT DEFAULT 0,
            starttime INT DEFAULT 0, endtime INT DEFAULT 0, fe_group TEXT DEFAULT "", sys_language_uid INT DEFAULT 0, t3ver_wsid INT DEFAULT 0,
            t3ver_oid INT DEFAULT 0, tstamp INT DEFAULT 0';

        public static function open(string $folder): void {
            self::$pdo = new \PDO("sqlite:$folder/typo3.sqlite", null, null, [\PDO::ATTR_ERRMODE => \PDO::ERRMODE_EXCEPTION]);
            $schema = file_get_contents(EXTENSION . '/ext_tables.sql');
            self::$pdo->exec(str_replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS', str_replace(' unsigned', '', $schema)));
            self::$pdo->exec('CREATE TABLE IF NOT EXISTS pages (' . self::PAGE . ', l10n_parent INT DEFAULT 0, doktype INT DEFAULT 1,
                title TEXT, slug TEXT, extendToSubpages INT DEFAULT 0, no_search INT DEFAULT 0)');
            self::$pdo->exec('CREATE TABLE IF NOT EXISTS tt_content (' . self::PAGE . ', header TEXT DEFAULT "",
                bodytext TEXT, colPos INT DEFAULT 0, sorting INT DEFAULT 0)');
            self::$pdo->exec('CREATE TABLE IF NOT EXISTS value (name TEXT PRIMARY KEY, data TEXT)');
        }
        public static function set(string $key, mixed $value): void {
            self::$pdo->prepare('REPLACE INTO value VALUES (?, ?)')->execute([$key, serialize($value)]);
        }
        public static function value(string $key, mixed $default): mixed {
            $found = self::$pdo->prepare('SELECT data FROM value WHERE name = ?');
            $found->execute([$key]);
            $data = $found->fetchColumn();
            return $data === false ? $default : unserialize($data);
        }
        public static function rows(string $sql, array $values = []): array {
            $found = self::$pdo->prepare($sql);
            $found->execute($values);
            return $found->fetchAll(\PDO::FETCH_ASSOC);
        }
    }
    final class Result {
        public function __construct(private \PDOStatement $rows) {}
        public function fetchAllAssociative(): array { return $this->rows->fetchAll(\PDO::FETCH_ASSOC); }
        public function fetchAssociative(): array|false { return $this->rows->fetch(\PDO::FETCH_ASSOC); }
        public function fetchFirstColumn(): array { return $this->rows->fetchAll(\PDO::FETCH_COLUMN); }
        public function fetchOne(): mixed { return $this->rows->fetchColumn(); }
    }
    final class Cache {
        public function flush() {}
    }
    final class Locale {
        public function __construct(private string $code) {}
        public function getLanguageCode(): string { return $this->code; }
    }
    final class Router {
        public function generateUri($route, array $parameters = [], string $fragment = '', string $type = ''): string {
            $language = $parameters['_language'];
            $which = $language->getLanguageId() ? 'l10n_parent' : 'uid';
            $page = Database::rows("SELECT slug FROM pages WHERE $which = ? ORDER BY uid LIMIT 1", [$route])[0];
            return Database::value('base', '') . rtrim($language->base, '/') . $page['slug'];
        }
    }
    final class Lock {
        private mixed $file;
        public function __construct(private string $id) {}
        public function acquire(int $mode = 1): bool {
            $this->file = fopen(sys_get_temp_dir() . "/lock_$this->id" . md5(Database::value('base', '')), 'c');
            return flock($this->file, LOCK_EX | LOCK_NB) ?: throw new \TYPO3\CMS\Core\Locking\Exception\LockAcquireWouldBlockException();
        }
        public function release(): bool { return fclose($this->file); }
    }
    final class Input implements \Symfony\Component\Console\Input\InputInterface {
        public function __construct(private array $given) {}
        public function getOption(string $name) { return in_array($name, $this->given, true); }
    }
    final class Output implements \Symfony\Component\Console\Output\OutputInterface {
        public string $text = '';
        public function writeln(string|iterable $messages, int $options = 0) { $this->text .= "$messages\n"; }
    }

    /** Wires by type, as Services.yaml asks for. */
    final class Container {
        private static array $made = [];
        public static function get(string $class): object {
            $wanted = (new \ReflectionClass($class))->getConstructor()?->getParameters() ?? [];
            $own = array_filter($wanted, fn ($parameter) => !$parameter->getType()->isBuiltin());
            return self::$made[$class] ??= new $class(...array_map(fn ($parameter) => self::get($parameter->getType()->getName()), $own));
        }
    }

    /** The website: 404 for what is not for everybody. */
    final class Website {
        public static function show(string $path): void {
            $broken = Database::value('broken', []);
            if (isset($broken[$path])) {
                [$status, $target] = $broken[$path];
                header("Location: $target", true, $status);
                return;
            }
            $base = str_starts_with($path, '/de/') ? '/de' : '';
            $slug = substr($path, strlen($base));
            $open = "deleted = 0 AND hidden = 0 AND fe_group = '' AND starttime <= :now AND (endtime = 0 OR endtime > :now)";
            $sql = "SELECT * FROM pages WHERE slug = :slug AND sys_language_uid = :language AND $open";
            $page = Database::rows($sql, ['slug' => $slug, 'language' => (int)(bool)$base, 'now' => time()])[0] ?? null;
            if ($page === null) {
                http_response_code(404);
                return;
            }
            header('Content-Type: text/html; charset=utf-8');
            $where = 'pid = ? AND sys_language_uid = ? AND deleted = 0 AND hidden = 0';
            $texts = Database::rows("SELECT bodytext FROM tt_content WHERE $where", [$page['l10n_parent'] ?: $page['uid'], (int)(bool)$base]);
            echo "<title>{$page['title']}</title><main>", implode(array_column($texts, 'bodytext')), '</main>';
        }
    }
}

namespace {
    const EXTENSION = __DIR__ . '/../../../integrations/typo3/auskunft';
    \Stub\Database::open(PHP_SAPI === 'cli-server' ? getenv('FOLDER') : $argv[1]);
    if (PHP_SAPI === 'cli-server') {
        \Stub\Website::show($_SERVER['REQUEST_URI']);
        return;
    }
    define('TYPO3', true);
    spl_autoload_register(static function (string $class): void {
        $file = EXTENSION . '/Classes/' . strtr(substr($class, strlen('Auskunft\\Typo3\\')), '\\', '/') . '.php';
        if (str_starts_with($class, 'Auskunft\\Typo3\\') && is_file($file)) {
            require $file;
        }
    });
    require EXTENSION . '/ext_localconf.php';
    set_error_handler(static fn ($level, $text, $file, $line) => throw new ErrorException($text, 0, $level, $file, $line));
    $editor = new \TYPO3\CMS\Core\DataHandling\DataHandler();
    /** Runs a command of the extension. */
    $run = static fn (string $name, string ...$given) => \Stub\Container::get("Auskunft\\Typo3\\Command\\$name")->run($given);
    $get = static fn (string $name) => \Stub\Container::get("Auskunft\\Typo3\\$name");
    echo json_encode(eval($argv[2]));
}
