<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

/** Auskunft took no message, and would take no other one now. */
final class Away extends \RuntimeException {}
