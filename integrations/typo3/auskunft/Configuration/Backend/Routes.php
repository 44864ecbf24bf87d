<?php

return [
    'auskunft_draft' => [
        'path' => '/auskunft/draft',
        'target' => \Auskunft\Typo3\DraftController::class . '::show',
        'packageName' => 'auskunft/auskunft-typo3',
    ],
];
