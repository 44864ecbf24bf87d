<?php

defined('TYPO3') || die();

$hooks = &$GLOBALS['TYPO3_CONF_VARS']['SC_OPTIONS']['t3lib/class.t3lib_tcemain.php'];
$hooks['processDatamapClass']['auskunft'] = \Auskunft\Typo3\Changes::class;
$hooks['processCmdmapClass']['auskunft'] = \Auskunft\Typo3\Changes::class;
unset($hooks);
