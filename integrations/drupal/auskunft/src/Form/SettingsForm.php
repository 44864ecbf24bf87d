<?php

declare(strict_types=1);

namespace Drupal\auskunft\Form;

use Drupal\auskunft\Away;
use Drupal\auskunft\Changes;
use Drupal\auskunft\Connection;
use Drupal\auskunft\Refused;
use Drupal\auskunft\Sender;
use Drupal\Core\Entity\ContentEntityTypeInterface;
use Drupal\Core\Entity\EntityTypeManagerInterface;
use Drupal\Core\Form\ConfigFormBase;
use Drupal\Core\Form\FormStateInterface;
use Symfony\Component\DependencyInjection\ContainerInterface;

/**
 * Where pages are sent, a test, what waits, the chat.
 */
final class SettingsForm extends ConfigFormBase {

  private const SECONDS = 20;
  private const LISTED = 50;

  protected Connection $connection;
  protected Changes $changes;
  protected Sender $sender;
  protected EntityTypeManagerInterface $types;

  public static function create(ContainerInterface $container): static {
    $form = parent::create($container);
    $form->connection = $container->get('auskunft.connection');
    $form->changes = $container->get('auskunft.changes');
    $form->sender = $container->get('auskunft.sender');
    $form->types = $container->get('entity_type.manager');
    return $form;
  }

  public function getFormId(): string {
    return 'auskunft_settings';
  }

  protected function getEditableConfigNames(): array {
    return ['auskunft.settings'];
  }

  public function buildForm(array $form, FormStateInterface $form_state): array {
    $config = $this->config('auskunft.settings');
    $fields = [
      'url' => [$this->t('Address of Auskunft'), 'https://chat.town.example', ''],
      'source' => [$this->t('Source'), 'town', ''],
      'website' => [$this->t('Address of this website'), 'https://town.example', $GLOBALS['base_url'] ?? ''],
      'site' => [$this->t('Key of the site, for the chat'), 'town', ''],
    ];
    foreach ($fields as $name => [$title, $example, $usual]) {
      $form[$name] = [
        '#type' => 'textfield',
        '#title' => $title,
        '#default_value' => $config->get($name) ?: $usual,
        '#placeholder' => $example,
      ];
    }
    $form['secret'] = [
      '#type' => 'password',
      '#title' => $this->t('Secret'),
      '#attributes' => ['placeholder' => $config->get('secret') ? '••••••••' : 'whsec_…', 'autocomplete' => 'off'],
      '#description' => $this->t("Empty: it stays as it is. \$config['auskunft.settings']['secret'] in settings.php goes first."),
    ];
    $form['types'] = [
      '#type' => 'checkboxes',
      '#title' => $this->t('What is sent'),
      '#options' => $this->possibleTypes(),
      '#default_value' => (array) $config->get('types'),
    ];
    $form['everywhere'] = [
      '#type' => 'checkbox',
      '#title' => $this->t('The chat is on every page of the website'),
      '#description' => $this->t('Or within pages: place the block “Chat of Auskunft”.'),
      '#default_value' => $config->get('everywhere'),
    ];
    return $this->withState(parent::buildForm($form, $form_state));
  }

  public function validateForm(array &$form, FormStateInterface $form_state): void {
    $given = array_map('trim', array_intersect_key($form_state->getValues(), array_flip(['url', 'website', 'source', 'secret'])));
    foreach (['url', 'website'] as $name) {
      if ($given[$name] !== '' && !preg_match('#^https?://[^/\s]+#', $given[$name])) {
        $form_state->setErrorByName($name, $this->t('Give an address that begins with https://.'));
      }
    }
    if ($given['source'] !== '' && !preg_match('/^[a-z0-9][a-z0-9_-]{0,63}$/', $given['source'])) {
      $form_state->setErrorByName('source', $this->t('The name of a source has small letters, digits, - and _.'));
    }
    if ($given['secret'] !== '' && Connection::key($given['secret']) === '') {
      $form_state->setErrorByName('secret', $this->t('That is no secret: copy all of it, from whsec_ to its end.'));
    }
  }

  public function submitForm(array &$form, FormStateInterface $form_state): void {
    $config = $this->config('auskunft.settings');
    $before = [$config->get('url'), $config->get('source'), $config->get('website'), $config->get('types')];
    foreach (['url', 'source', 'website', 'site'] as $name) {
      $config->set($name, rtrim(trim($form_state->getValue($name)), '/'));
    }
    if (trim($form_state->getValue('secret')) !== '') {
      $config->set('secret', trim($form_state->getValue('secret')));
    }
    $dropped = array_values(array_diff((array) $config->get('types'), array_filter($form_state->getValue('types'))));
    if ($dropped) {
      // While they are still sent, so that they are noted: sending finds them unchecked, and deletes them.
      $this->changes->noteAll();
    }
    $config->set('types', array_values(array_filter($form_state->getValue('types'))));
    $config->set('everywhere', (bool) $form_state->getValue('everywhere'))->save();
    $this->connection->tryAgain();
    if ($before !== [$config->get('url'), $config->get('source'), $config->get('website'), $config->get('types')]) {
      // Another service or source has nothing yet; another address of the website is that of every page.
      $this->changes->noteAll();
    }
    parent::submitForm($form, $form_state);
  }

  /**
   * Sends a signed message that changes nothing.
   */
  public function test(array &$form, FormStateInterface $form_state): void {
    try {
      $this->connection->send([['type' => 'page.deleted', 'id' => 'connection-test-of-the-module']]);
      $this->messenger()->addStatus($this->t('Auskunft answered: address, source and secret are right.'));
    }
    catch (Away | Refused $error) {
      $this->messenger()->addError($this->t('Auskunft did not take the message: @why', ['@why' => $error->getMessage()]));
    }
  }

  public function sendAll(array &$form, FormStateInterface $form_state): void {
    $count = $this->changes->noteAll();
    $this->sendNow($form, $form_state);
    $this->messenger()->addStatus($this->t('@count pages are being sent.', ['@count' => $count]));
  }

  public function sendNow(array &$form, FormStateInterface $form_state): void {
    foreach (array_keys($this->sender->refused()) as $page) {
      $this->changes->noteId(...explode('/', $page));
    }
    $this->connection->tryAgain();
    $this->sender->run(self::SECONDS);
  }

  /**
   * Adds what waits, what failed, and the buttons.
   */
  private function withState(array $form): array {
    $state = $this->connection->state();
    $waiting = $this->queue()->numberOfItems();
    $lines = [$this->t('@count changes wait.', ['@count' => $waiting])];
    if ($state['sent_at']) {
      $lines[] = $this->t('Last success: @time', ['@time' => date('Y-m-d H:i:s', $state['sent_at'])]);
    }
    if ($state['error']) {
      $lines[] = $this->t('The last try failed: @why. Nothing is lost; it is tried again.', ['@why' => $state['error']]);
    }
    $refused = $this->sender->refused();
    if (count($refused) > self::LISTED) {
      $lines[] = $this->t('@count pages could not be sent; the last of them:', ['@count' => count($refused)]);
    }
    foreach (array_slice($refused, 0, self::LISTED, TRUE) as $page => $why) {
      $lines[] = $this->t('@page was refused: @why', ['@page' => $page, '@why' => $why]);
    }
    $form['state'] = ['#type' => 'details', '#title' => $this->t('State'), '#open' => TRUE];
    $form['state']['lines'] = ['#theme' => 'item_list', '#items' => $lines];
    $buttons = [
      'test' => $this->t('Test the connection'),
      'sendAll' => $this->t('Send all pages'),
      'sendNow' => $this->t('Try again now'),
    ];
    foreach ($buttons as $method => $label) {
      $form['state'][$method] = [
        '#type' => 'submit',
        '#value' => $label,
        '#submit' => ["::$method"],
        '#limit_validation_errors' => [],
      ];
    }
    return $form;
  }

  /**
   * Returns the types of content that have pages of their own.
   */
  private function possibleTypes(): array {
    $with_pages = static fn ($type) => $type instanceof ContentEntityTypeInterface
      && $type->hasLinkTemplate('canonical') && $type->hasViewBuilderClass() && $type->id() !== 'user';
    return array_map(static fn ($type) => $type->getLabel(), array_filter($this->types->getDefinitions(), $with_pages));
  }

  private function queue(): object {
    return \Drupal::queue('auskunft', TRUE);
  }

}
