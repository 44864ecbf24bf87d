<?php
/** The page of the settings. */

namespace Auskunft;

defined( 'ABSPATH' ) || exit;

$state    = Settings::state();
$counts   = Queue::counts();
$messages = array(
	'ok'     => __( 'Auskunft answered: address, source and secret are right.', 'auskunft' ),
	'failed' => __( 'Auskunft did not take the message:', 'auskunft' ),
	'all'    => __( 'All pages are being sent.', 'auskunft' ),
	'retry'  => __( 'What waits is being sent.', 'auskunft' ),
);
$buttons  = array(
	'test'  => __( 'Test the connection', 'auskunft' ),
	'all'   => __( 'Send all pages', 'auskunft' ),
	'retry' => __( 'Try again now', 'auskunft' ),
);
$key      = 'auskunft_' . get_current_user_id();
$news     = get_transient( $key );
delete_transient( $key );
$fields = array(
	'url'    => array( __( 'Address of Auskunft', 'auskunft' ), 'https://chat.town.example' ),
	'source' => array( __( 'Source', 'auskunft' ), 'town' ),
	'site'   => array( __( 'Key of the site, for the chat', 'auskunft' ), 'town' ),
);
?>
<div class="wrap">
	<h1>Auskunft</h1>
	<?php if ( $news ) : ?>
		<div class="notice <?php echo 'failed' === $news[0] ? 'notice-error' : 'notice-success'; ?>"><p>
			<?php echo esc_html( trim( $messages[ $news[0] ] . ' ' . $news[1] ) ); ?>
		</p></div>
	<?php endif; ?>
	<form method="post" action="options.php">
		<?php settings_fields( Admin::PAGE ); ?>
		<table class="form-table" role="presentation">
			<?php foreach ( $fields as $name => list( $label, $example ) ) : ?>
				<tr><th scope="row"><label for="auskunft-<?php echo esc_attr( $name ); ?>"><?php echo esc_html( $label ); ?></label></th>
				<td><input class="regular-text" id="auskunft-<?php echo esc_attr( $name ); ?>" name="auskunft[<?php echo esc_attr( $name ); ?>]"
					value="<?php echo esc_attr( Settings::get( $name ) ); ?>" placeholder="<?php echo esc_attr( $example ); ?>"></td></tr>
			<?php endforeach; ?>
			<tr><th scope="row"><label for="auskunft-secret"><?php esc_html_e( 'Secret', 'auskunft' ); ?></label></th>
			<td><input class="regular-text" id="auskunft-secret" name="auskunft[secret]" type="password" autocomplete="off"
				<?php disabled( defined( 'AUSKUNFT_SECRET' ) ); ?> placeholder="<?php echo Settings::get( 'secret' ) ? '••••••••' : 'whsec_…'; ?>">
			<p class="description"><?php esc_html_e( 'Empty: it stays as it is. AUSKUNFT_SECRET in wp-config.php goes first.', 'auskunft' ); ?></p></td></tr>
			<tr><th scope="row"><?php esc_html_e( 'What is sent', 'auskunft' ); ?></th><td><fieldset>
				<?php foreach ( Settings::public_types() as $name ) : ?>
					<label><input type="checkbox" name="auskunft[types][]" value="<?php echo esc_attr( $name ); ?>"
						<?php checked( in_array( $name, Settings::get( 'types' ), true ) ); ?>>
						<?php echo esc_html( get_post_type_object( $name )->labels->name ); ?></label><br>
				<?php endforeach; ?>
			</fieldset></td></tr>
			<tr><th scope="row"><?php esc_html_e( 'Languages', 'auskunft' ); ?></th>
			<td><?php echo esc_html( Pages::languages() ); ?></td></tr>
			<tr><th scope="row"><?php esc_html_e( 'Chat', 'auskunft' ); ?></th>
			<td><label><input type="checkbox" name="auskunft[everywhere]" value="1" <?php checked( (bool) Settings::get( 'everywhere' ) ); ?>>
				<?php esc_html_e( 'on every page of the website', 'auskunft' ); ?></label>
			<p class="description"><?php esc_html_e( 'Or within a page: its block, or [auskunft_chat].', 'auskunft' ); ?></p></td></tr>
		</table>
		<?php submit_button(); ?>
	</form>
	<h2><?php esc_html_e( 'State', 'auskunft' ); ?></h2>
	<p>
		<?php
		/* translators: three numbers */
		echo esc_html( sprintf( __( '%1$d pages are sent, %2$d wait, %3$d were refused.', 'auskunft' ), $counts['sent'], $counts['waiting'], $counts['refused'] ) );
		?>
	</p>
	<?php if ( $state['error'] ) : ?>
		<p><strong><?php esc_html_e( 'The last try failed:', 'auskunft' ); ?></strong> <?php echo esc_html( $state['error'] ); ?>.
		<?php esc_html_e( 'Nothing is lost; it is tried again.', 'auskunft' ); ?></p>
	<?php endif; ?>
	<?php foreach ( $buttons as $name => $label ) : ?>
		<form method="post" action="<?php echo esc_url( admin_url( 'admin-post.php' ) ); ?>" style="display:inline-block">
			<input type="hidden" name="action" value="auskunft_<?php echo esc_attr( $name ); ?>">
			<?php wp_nonce_field( "auskunft_$name" ); ?>
			<button class="button"><?php echo esc_html( $label ); ?></button>
		</form>
	<?php endforeach; ?>
	<?php $rows = Queue::listed( 50 ); ?>
	<?php if ( $rows ) : ?>
		<table class="widefat striped" style="margin-top:1em">
			<thead><tr><th><?php esc_html_e( 'Page', 'auskunft' ); ?></th><th><?php esc_html_e( 'Changed', 'auskunft' ); ?></th>
			<th><?php esc_html_e( 'State', 'auskunft' ); ?></th></tr></thead><tbody>
			<?php foreach ( $rows as $row ) : ?>
				<tr><td><?php echo esc_html( get_the_title( $row->post_id ) ?: "#$row->post_id" ); ?></td>
				<td><?php echo esc_html( wp_date( 'Y-m-d H:i:s', intdiv( (int) $row->revision, 1000 ) ) ); ?></td>
				<td><?php echo esc_html( $row->failure ?: __( 'waits', 'auskunft' ) ); ?></td></tr>
			<?php endforeach; ?>
		</tbody></table>
	<?php endif; ?>
</div>
