<?php

declare(strict_types=1);

namespace Auskunft\Typo3\Command;

use Auskunft\Typo3\Queue;
use Auskunft\Typo3\Sender;
use Auskunft\Typo3\Settings;
use Auskunft\Typo3\State;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/** `typo3 auskunft:send` */
final class SendCommand extends Command
{
    private const SECONDS = 50;

    public function __construct(
        private readonly Settings $settings,
        private readonly Sender $sender,
        private readonly State $state,
        private readonly Queue $queue,
    ) {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this->addOption('now', null, InputOption::VALUE_NONE, 'also what was refused, and while Auskunft is left alone because it did not answer');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        if ($missing = $this->settings->missing()) {
            $output->writeln("<error>$missing (Settings, Extension Configuration, auskunft)</error>");
            return Command::INVALID;
        }
        if ($input->getOption('now')) {
            $this->state->tryAgain();
            $this->queue->retry();
        }
        $count = $this->sender->run(self::SECONDS);
        $waiting = $this->queue->counts()['waiting'];
        $output->writeln("$count pages sent, $waiting wait");
        $error = $this->state->get()['error'];
        if ($error !== '' && $waiting) {
            $output->writeln("<error>$error</error>");
            return Command::FAILURE;
        }
        return Command::SUCCESS;
    }
}
