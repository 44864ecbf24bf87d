<?php

declare(strict_types=1);

namespace Auskunft\Typo3\Command;

use Auskunft\Typo3\Away;
use Auskunft\Typo3\Client;
use Auskunft\Typo3\Queue;
use Auskunft\Typo3\Refused;
use Auskunft\Typo3\Settings;
use Auskunft\Typo3\State;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/** `typo3 auskunft:status` */
final class StatusCommand extends Command
{
    private const LISTED = 50;

    public function __construct(
        private readonly Settings $settings,
        private readonly State $state,
        private readonly Queue $queue,
        private readonly Client $client,
    ) {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this->addOption('test', null, InputOption::VALUE_NONE, 'send a signed message that changes nothing');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        if ($missing = $this->settings->missing()) {
            $output->writeln("<error>$missing (Settings, Extension Configuration, auskunft)</error>");
            return Command::INVALID;
        }
        $counts = $this->queue->counts();
        $output->writeln("{$counts['sent']} pages are sent, {$counts['closed']} are not public or gone, {$counts['waiting']} wait, {$counts['refused']} were refused");
        foreach ($this->queue->refused(self::LISTED) as $page => $why) {
            $output->writeln("page $page: $why");
        }
        $state = $this->state->get();
        if ($state['sent_at']) {
            $output->writeln('last success: ' . date('Y-m-d H:i:s', $state['sent_at']));
        }
        if ($state['error'] !== '') {
            $output->writeln("the last try failed: {$state['error']}. Nothing is lost; it is tried again");
        }
        return $input->getOption('test') ? $this->test($output) : Command::SUCCESS;
    }

    private function test(OutputInterface $output): int
    {
        try {
            $this->client->send([['type' => 'page.deleted', 'id' => 'connection-test-of-the-extension']]);
        } catch (Away|Refused $error) {
            $output->writeln('<error>Auskunft did not take the message: ' . $error->getMessage() . '</error>');
            return Command::FAILURE;
        }
        $output->writeln('Auskunft answered: address, source and secret are right');
        return Command::SUCCESS;
    }
}
