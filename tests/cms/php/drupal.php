<?php

/**
 * Runs the module without Drupal: exactly those of its interfaces that the module uses, with the signatures of
 * Drupal 10.3, over one SQLite file. Usage: php drupal.php FOLDER CODE; prints what the code returns, as JSON.
 */

namespace Drupal\Core\Config {
    interface ConfigFactoryInterface { public function get($name); }
}
namespace Drupal\Core\State {
    interface StateInterface { public function get($key, $default = NULL); public function set($key, $value); }
}
namespace Drupal\Core\Queue {
    class SuspendQueueException extends \RuntimeException {}
    abstract class QueueWorkerBase {
        public function __construct(protected array $configuration, protected $pluginId, protected $pluginDefinition) {}
    }
    class QueueFactory {
        public function __construct(private \PDO $database) {}
        public function get($name, $reliable = FALSE) { return new \Stub\Queue($this->database); }
    }
}
namespace Drupal\Core\Queue\Attribute {
    #[\Attribute(\Attribute::TARGET_CLASS)]
    class QueueWorker { public function __construct(public string $id, public $title = NULL, public ?array $cron = NULL) {} }
}
namespace Drupal\Core\Plugin {
    interface ContainerFactoryPluginInterface {
        public static function create(\Symfony\Component\DependencyInjection\ContainerInterface $container, array $configuration, $plugin_id, $plugin_definition);
    }
}
namespace Drupal\Core\StringTranslation {
    class TranslatableMarkup {
        public function __construct(public string $text, private array $arguments = []) {}
        public function __toString() { return strtr($this->text, $this->arguments); }
    }
    trait StringTranslationTrait {
        protected function t($string, array $args = [], array $options = []) { return new TranslatableMarkup($string, $args); }
    }
}
namespace Symfony\Component\DependencyInjection {
    interface ContainerInterface { public function get(string $id); }
}
namespace Symfony\Component\EventDispatcher {
    interface EventSubscriberInterface { public static function getSubscribedEvents(); }
}
namespace Symfony\Component\HttpKernel {
    final class KernelEvents { public const TERMINATE = 'kernel.terminate'; }
}
namespace Drupal\Core\Session {
    interface AccountSwitcherInterface { public function switchTo(object $account); public function switchBack(); }
    class AnonymousUserSession { public function isAnonymous() { return TRUE; } }
}
namespace Drupal\Core\Entity {
    interface EntityInterface { public function id(); public function getEntityTypeId(); public function language(); public function label(); }
    interface ContentEntityInterface extends EntityInterface {
        public function getTranslationLanguages($include_default = TRUE);
        public function hasTranslation($langcode);
        public function getTranslation($langcode);
    }
    interface ContentEntityFormInterface {
        public function getEntity();
        public function getOperation();
        public function buildEntity(array $form, \Drupal\Core\Form\FormStateInterface $form_state);
    }
    interface EntityPublishedInterface { public function isPublished(); }
    interface EntityChangedInterface { public function getChangedTime(); }
    interface EntityTypeManagerInterface {
        public function getStorage($entity_type_id);
        public function getViewBuilder($entity_type_id);
        public function hasDefinition($plugin_id);
    }
}
namespace Drupal\Core\Form {
    interface FormStateInterface { public function getFormObject(); public function hasAnyErrors(); public function &getValue($key, $default = NULL); }
}
namespace Drupal\Core\Extension {
    interface ModuleHandlerInterface { public function alter($type, &$data, &$context1 = NULL, &$context2 = NULL); }
}
namespace Drupal\Core\Render {
    interface RendererInterface { public function renderInIsolation(&$elements); }
}
namespace Drupal\Core\Theme {
    interface ThemeManagerInterface { public function getActiveTheme(); public function setActiveTheme(ActiveTheme $active_theme); }
    interface ThemeInitializationInterface { public function getActiveThemeByName($theme_name); }
    class ActiveTheme { public function __construct(public string $name) {} }
}
namespace Drupal\workspaces {
    interface WorkspaceManagerInterface { public function executeOutsideWorkspace(callable $function); }
}
namespace Drupal\Core {
    class Url {
        private function __construct(public string $path) {}
        public static function fromUri($uri, $options = []) { return new self(preg_replace('/^internal:/', '', $uri)); }
        public function isRouted() { return (bool) preg_match('#^/node/\d+$#', $this->path); }
        public function getRouteName() { return 'entity.node.canonical'; }
        public function getRouteParameters() { return ['node' => basename($this->path)]; }
    }
}
namespace GuzzleHttp {
    interface ClientInterface { public function request(string $method, $uri, array $options = []); }
}
namespace GuzzleHttp\Exception {
    interface GuzzleException extends \Throwable {}
    class ConnectException extends \RuntimeException implements GuzzleException {}
}

namespace Stub {

    use Drupal\Core\Entity as E;

    require __DIR__ . '/http.php';

    /** A queue over a table, in the transaction of the save as Drupal's. */
    final class Queue {
        public function __construct(private \PDO $database) {}
        public function createItem($data) {
            $this->database->prepare('INSERT INTO queue (data, expire) VALUES (?, 0)')->execute([serialize($data)]);
        }
        public function claimItem($lease_time = 30) {
            $row = $this->database->query('SELECT * FROM queue WHERE expire < ' . time() . ' ORDER BY id LIMIT 1')->fetchObject();
            if (!$row) {
                return FALSE;
            }
            $this->database->exec('UPDATE queue SET expire = ' . (time() + $lease_time) . " WHERE id = $row->id");
            $row->data = unserialize($row->data);
            return $row;
        }
        public function deleteItem($item) { $this->database->exec("DELETE FROM queue WHERE id = $item->id"); }
        public function releaseItem($item) { $this->database->exec("UPDATE queue SET expire = 0 WHERE id = $item->id"); }
        public function numberOfItems() { return (int) $this->database->query('SELECT COUNT(*) FROM queue')->fetchColumn(); }
    }

    /** A page; its translations are arrays of fields by language. */
    final class Node implements E\ContentEntityInterface, E\EntityPublishedInterface, E\EntityChangedInterface {
        public ?Node $original = NULL;
        public bool $in_preview = FALSE;
        public function __construct(public ?int $nid, public string $main, public array $texts, private ?string $shown = NULL) {}
        public function id() { return $this->nid; }
        public function getEntityTypeId() { return 'node'; }
        public function language() { return new Language($this->shown ?? $this->main); }
        public function label() { return $this->field('title'); }
        public function getTranslationLanguages($include_default = TRUE) { return $this->texts; }
        public function hasTranslation($langcode) { return isset($this->texts[$langcode]); }
        public function getTranslation($langcode) { return new self($this->nid, $this->main, $this->texts, $langcode); }
        public function isPublished() { return (bool) $this->field('published', TRUE); }
        public function getChangedTime() { return time(); }
        public function access($operation, ?object $account = NULL, $return_as_object = FALSE) {
            return !($account instanceof \Drupal\Core\Session\AnonymousUserSession && $this->field('private', FALSE));
        }
        public function field(string $name, mixed $usual = '') { return $this->texts[$this->shown ?? $this->main][$name] ?? $usual; }
        public function toUrl($rel = NULL, array $options = []) { return new Address($this, $options); }
    }
    /** The form of a page, with what was typed. */
    final class Form implements E\ContentEntityFormInterface, \Drupal\Core\Form\FormStateInterface {
        public function __construct(private Node $saved, private Node $typed, private string $question, private bool $wrong = FALSE) {}
        public function getEntity() { return $this->saved; }
        public function getOperation() { return 'edit'; }
        public function buildEntity(array $form, \Drupal\Core\Form\FormStateInterface $form_state) { return $this->typed; }
        public function getFormObject() { return $this; }
        public function hasAnyErrors() { return $this->wrong; }
        public function &getValue($key, $default = NULL) {
            \assert($key === 'auskunft_question');
            return $this->question;
        }
    }
    final class Language {
        public function __construct(private string $code) {}
        public function getId() { return $this->code; }
    }
    final class Alias implements E\EntityInterface {
        public function __construct(private string $path, public ?Alias $original = NULL) {}
        public function id() { return 1; }
        public function getEntityTypeId() { return 'path_alias'; }
        public function language() { return new Language('und'); }
        public function label() { return ''; }
        public function getPath() { return $this->path; }
    }
    final class Address {
        public function __construct(private Node $node, private array $options) {}
        public function toString($collect_bubbleable_metadata = FALSE) { return $this; }
        public function getGeneratedUrl() {
            $prefix = $this->node->language()->getId() === $this->node->main ? '' : '/' . $this->node->language()->getId();
            return $this->options['base_url'] . $prefix . ($this->node->field('alias') ?: "/node/{$this->node->id()}");
        }
    }

    /** Drupal: services by name, nodes in a table, hooks called as Drupal does. */
    final class Site implements
        \Drupal\Core\Config\ConfigFactoryInterface, E\EntityTypeManagerInterface,
        \Drupal\Core\Render\RendererInterface, \Drupal\Core\Session\AccountSwitcherInterface,
        \Drupal\Core\Theme\ThemeManagerInterface, \Drupal\Core\Theme\ThemeInitializationInterface,
        \Drupal\Core\Extension\ModuleHandlerInterface, \Drupal\workspaces\WorkspaceManagerInterface,
        \Symfony\Component\DependencyInjection\ContainerInterface
    {
        public \PDO $database;
        public ?array $workspace = NULL;
        private array $services = [];
        private array $accounts = [];
        private \Drupal\Core\Theme\ActiveTheme $theme;

        public function __construct(string $folder) {
            $this->database = new \PDO("sqlite:$folder/drupal.sqlite", NULL, NULL, [\PDO::ATTR_ERRMODE => \PDO::ERRMODE_EXCEPTION]);
            $this->database->exec('CREATE TABLE IF NOT EXISTS queue (id INTEGER PRIMARY KEY, data TEXT, expire INT);
                CREATE TABLE IF NOT EXISTS node (id INTEGER PRIMARY KEY AUTOINCREMENT, data TEXT);
                CREATE TABLE IF NOT EXISTS value (name TEXT PRIMARY KEY, data TEXT)');
            $this->theme = new \Drupal\Core\Theme\ActiveTheme('claro');
        }

        public function get($name) { return $this->services[$name] ??= $this->make($name); }
        public function set($key, $value) {
            $this->database->prepare('REPLACE INTO value VALUES (?, ?)')->execute([$key, serialize($value)]);
        }
        public function value(string $key, mixed $default = NULL) {
            $found = $this->database->prepare('SELECT data FROM value WHERE name = ?');
            $found->execute([$key]);
            $data = $found->fetchColumn();
            return $data === FALSE ? $default : unserialize($data);
        }

        /** Pages as they are without the drafts of the editor's workspace. */
        public function executeOutsideWorkspace(callable $function) {
            [$before, $this->workspace] = [$this->workspace, NULL];
            $result = $function();
            $this->workspace = $before;
            return $result;
        }

        public function getStorage($entity_type_id) { return $this; }
        public function getViewBuilder($entity_type_id) { return $this; }
        public function hasDefinition($plugin_id) { return $plugin_id === 'node'; }
        public function getQuery() { return $this; }
        public function accessCheck($access_check = TRUE) { return $this; }
        public function execute() { return $this->database->query('SELECT id FROM node')->fetchAll(\PDO::FETCH_COLUMN); }
        public function loadUnchanged($id) {
            $data = $this->database->query('SELECT data FROM node WHERE id = ' . (int) $id)->fetchColumn();
            $fields = json_decode($data ?: '[]', TRUE);
            return $fields ? new Node((int) $id, $fields['main'], $this->workspace[$id] ?? $fields['texts']) : NULL;
        }
        public function view(Node $entity, $view_mode = 'full', $langcode = NULL) {
            // Shown in the website's theme, to nobody who is logged in.
            \assert($this->theme->name === 'olivero' && end($this->accounts)->isAnonymous());
            if ($this->value('broken')) {
                throw new \LogicException('a template fails');
            }
            return ['#markup' => $entity->getTranslation($langcode)->field('html')];
        }
        public function renderInIsolation(&$elements) { return $elements['#markup']; }
        public function switchTo(object $account) { $this->accounts[] = $account; }
        public function switchBack() { array_pop($this->accounts); }
        public function getActiveTheme() { return $this->theme; }
        public function setActiveTheme(\Drupal\Core\Theme\ActiveTheme $active_theme) { $this->theme = $active_theme; }
        public function getActiveThemeByName($theme_name) { return new \Drupal\Core\Theme\ActiveTheme($theme_name); }
        public function alter($type, &$data, &$context1 = NULL, &$context2 = NULL) {}

        /** Saves as Drupal does: row and hooks in one transaction. */
        public function save(?int $id, string $main, array $texts): int {
            $before = $id ? $this->loadUnchanged($id) : NULL;
            $this->database->beginTransaction();
            $data = json_encode(['main' => $main, 'texts' => $texts]);
            $this->database->prepare('REPLACE INTO node (id, data) VALUES (?, ?)')->execute([$id, $data]);
            $node = new Node($id ?? (int) $this->database->lastInsertId(), $main, $texts);
            $node->original = $before;
            foreach (array_diff_key($before?->texts ?? [], $texts) as $code => $_) {
                auskunft_entity_translation_delete($before->getTranslation($code));
            }
            $before ? auskunft_entity_update($node) : auskunft_entity_insert($node);
            $this->database->commit();
            return $node->nid;
        }
        /** Saves an alias: the hooks get its entity, not the node. */
        public function rename(int $id, string $path): void {
            $node = $this->loadUnchanged($id);
            $node->texts[$node->main]['alias'] = $path;
            $data = json_encode(['main' => $node->main, 'texts' => $node->texts]);
            $this->database->prepare('UPDATE node SET data = ? WHERE id = ?')->execute([$data, $id]);
            auskunft_entity_update(new Alias("/node/$id"));
        }
        public function delete(int $id): void {
            $node = $this->loadUnchanged($id);
            $this->database->exec("DELETE FROM node WHERE id = $id");
            auskunft_entity_delete($node);
        }
        /** Runs the queue's worker as cron does. */
        public function cron(): void {
            auskunft_cron();
            $class = \Drupal\auskunft\Plugin\QueueWorker\PageSender::class;
            $queue = new Queue($this->database);
            $worker = $class::create($this, [], 'auskunft', []);
            while ($item = $queue->claimItem(60)) {
                try {
                    $worker->processItem($item->data);
                    $queue->deleteItem($item);
                } catch (\Drupal\Core\Queue\SuspendQueueException) {
                    $queue->releaseItem($item);
                    return;
                }
            }
        }

        /** Makes a service as auskunft.services.yml says, or gives settings. */
        private function make(string $name): mixed {
            $queues = new \Drupal\Core\Queue\QueueFactory($this->database);
            $known = fn (string $service) => $this->get("auskunft.$service");
            return match ($name) {
                'auskunft.connection' => new \Drupal\auskunft\Connection($this, new Values($this), new Http()),
                'auskunft.changes' => new \Drupal\auskunft\Changes($this, $queues, $this),
                'auskunft.pages' => new \Drupal\auskunft\Pages($this, $this, $this, $this, $this, $this, $this, $this),
                'auskunft.drafts' => new \Drupal\auskunft\Drafts($known('connection'), $known('pages')),
                'auskunft.sender' => new \Drupal\auskunft\Sender($known('connection'), $known('pages'), $queues, new Values($this)),
                'auskunft.settings' => new Config($this->value('settings', [])),
                'system.theme' => new Config(['default' => 'olivero']),
            };
        }
    }
    final class Values implements \Drupal\Core\State\StateInterface {
        public function __construct(private Site $site) {}
        public function get($key, $default = NULL) { return $this->site->value($key, $default); }
        public function set($key, $value) { $this->site->set($key, $value); }
    }
    final class Config {
        public function __construct(private array $values) {}
        public function get($key = '') { return $this->values[$key] ?? NULL; }
    }
}

namespace {
    final class Drupal {
        public static \Stub\Site $site;
        public static function service($id) { return self::$site->get($id); }
    }

    const MODULE = __DIR__ . '/../../../integrations/drupal/auskunft';
    spl_autoload_register(static function (string $class): void {
        if (str_starts_with($class, 'Drupal\\auskunft\\')) {
            require MODULE . '/src/' . strtr(substr($class, strlen('Drupal\\auskunft\\')), '\\', '/') . '.php';
        }
    });
    require MODULE . '/auskunft.module';
    set_error_handler(static fn ($level, $text, $file, $line) => throw new ErrorException($text, 0, $level, $file, $line));
    $site = Drupal::$site = new \Stub\Site($argv[1]);
    echo json_encode(eval($argv[2]));
}
