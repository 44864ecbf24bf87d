<?php

$EM_CONF[$_EXTKEY] = [
    'title' => 'Auskunft',
    'description' => 'Tells Auskunft when pages are saved, moved, taken offline or deleted, and puts its chat on the website.',
    'category' => 'services',
    'author' => 'The Auskunft developers',
    'state' => 'beta',
    'version' => '0.1.0',
    'constraints' => [
        'depends' => ['typo3' => '12.4.0-13.4.99'],
    ],
    'autoload' => [
        'psr-4' => ['Auskunft\\Typo3\\' => 'Classes/'],
    ],
];
