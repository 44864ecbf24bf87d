<?php

declare(strict_types=1);

namespace Auskunft\Typo3\Command;

use Auskunft\Typo3\Queue;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/** `typo3 auskunft:send-all` */
final class SendAllCommand extends Command
{
    public function __construct(private readonly Queue $queue)
    {
        parent::__construct();
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $output->writeln($this->queue->markAll() . ' pages are sent by auskunft:send');
        return Command::SUCCESS;
    }
}
