<?php

declare(strict_types=1);

namespace Auskunft\Typo3;

/** Auskunft will never take this message: something in it is wrong. */
final class Refused extends \RuntimeException {}
