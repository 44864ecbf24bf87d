<?php

declare(strict_types=1);

namespace Drupal\auskunft;

/**
 * Auskunft will never take this message: something in it is wrong.
 */
final class Refused extends \RuntimeException {}
