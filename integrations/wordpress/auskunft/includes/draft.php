<?php
namespace Auskunft;

/** "Check my draft", a box beside the editor: what the text would answer and contradict if it were published. */
final class Draft {
	const ACTION = 'auskunft_draft';

	public static function register(): void {
		add_action( 'add_meta_boxes', array( __CLASS__, 'box' ) );
		add_action( 'wp_ajax_' . self::ACTION, array( __CLASS__, 'answer' ) );
	}

	public static function box(): void {
		if ( ! Settings::complete() ) {
			return;
		}
		wp_enqueue_script( 'auskunft-draft', plugins_url( 'assets/draft.js', FILE ), array(), '1', true );
		add_meta_box( 'auskunft-draft', __( 'Check my draft', 'auskunft' ), array( __CLASS__, 'show' ), Settings::get( 'types' ), 'side', 'high' );
	}

	public static function show( \WP_Post $post ): void {
		?>
		<div data-auskunft-draft="<?php echo esc_url( admin_url( 'admin-ajax.php' ) ); ?>" data-post="<?php echo (int) $post->ID; ?>"
			data-nonce="<?php echo esc_attr( wp_create_nonce( self::ACTION ) ); ?>" data-failed="<?php esc_attr_e( 'No answer: try again.', 'auskunft' ); ?>">
			<p><?php esc_html_e( 'The text is asked as it stands here. Nothing of it is stored.', 'auskunft' ); ?></p>
			<p><button type="button" class="button" data-ask><?php esc_html_e( 'Check my draft', 'auskunft' ); ?></button></p>
			<p><label for="auskunft-question"><?php esc_html_e( 'A question of your own', 'auskunft' ); ?></label>
			<input type="text" class="widefat" id="auskunft-question" maxlength="2000" autocomplete="off"></p>
			<p><button type="button" class="button" data-ask="question"><?php esc_html_e( 'Ask', 'auskunft' ); ?></button></p>
			<div role="status"></div>
		</div>
		<?php
	}

	/** Answers the box with HTML. The text is read as visitors would see it; it is neither saved nor sent on. */
	public static function answer(): void {
		check_ajax_referer( self::ACTION );
		$post = get_post( absint( $_POST['post'] ?? 0 ) );
		if ( ! $post || ! current_user_can( 'edit_post', $post->ID ) ) {
			wp_send_json_error( __( 'You may not do this.', 'auskunft' ), 403 );
		}
		$text               = static fn( $name ) => (string) wp_unslash( $_POST[ $name ] ?? '' ); // phpcs:ignore
		$post               = new \WP_Post( (object) $post->to_array() );
		$post->post_content = $text( 'content' );
		$question           = sanitize_text_field( $text( 'question' ) );
		$draft              = array(
			'id'       => (string) $post->ID,
			'language' => Pages::language( $post ),
			'title'    => sanitize_text_field( $text( 'title' ) ),
			'html'     => Pages::html( $post ),
			'question' => $question,
			'site'     => Settings::get( 'site' ),
		);
		$got                = Client::ask( array_filter( $draft ) );
		$failed             = self::paragraph( __( 'Auskunft did not take the draft:', 'auskunft' ) . ' ' . $got['detail'] );
		wp_send_json_success( 200 === $got['status'] ? self::shown( $got['answer'], $question ) : $failed );
	}

	private static function shown( array $report, string $question ): string {
		if ( '' !== $question ) {
			return self::answers( $report['answers'] ) ?: self::paragraph( __( 'The text does not answer this.', 'auskunft' ) );
		}
		$shown  = '<h3>' . esc_html__( 'What visitors ask', 'auskunft' ) . '</h3>';
		$shown .= self::answers( $report['answers'] ) ?: self::paragraph( __( 'The text answers no open question.', 'auskunft' ) );
		if ( $report['left'] ) {
			/* translators: a number */
			$shown .= self::paragraph( sprintf( __( 'For %d more questions there was no time.', 'auskunft' ), $report['left'] ) );
		}
		$shown .= '<h3>' . esc_html__( 'Contradictions', 'auskunft' ) . '</h3>';
		$found  = array_map( array( __CLASS__, 'contradiction' ), $report['contradictions'] );
		return $shown . ( implode( $found ) ?: self::paragraph( __( 'No published page says otherwise.', 'auskunft' ) ) );
	}

	private static function answers( array $answers ): string {
		$outcomes = array(
			'answered'   => __( 'answered', 'auskunft' ),
			'doubtful'   => __( 'doubtful', 'auskunft' ),
			'unanswered' => __( 'not answered', 'auskunft' ),
		);
		$shown    = '';
		foreach ( $answers as $answer ) {
			$shown .= '<p><strong>' . esc_html( $answer['question'] ) . '</strong><br>' . esc_html( $outcomes[ $answer['outcome'] ] );
			if ( $answer['before'] ) {
				$shown .= '; ' . esc_html__( 'another page comes first:', 'auskunft' ) . ' ' . self::link( $answer['before'] );
			}
			$shown .= '</p>' . self::quote( $answer['passage'] );
		}
		return $shown;
	}

	private static function contradiction( array $found ): string {
		$other = self::paragraph( __( 'Your text:', 'auskunft' ) ) . self::quote( $found['own'] );
		return $other . '<p>' . self::link( $found['page'] ) . '</p>' . self::quote( $found['other'] ) . '<hr>';
	}

	private static function link( array $page ): string {
		$title = esc_html( $page['title'] );
		return $page['url'] ? '<a href="' . esc_url( $page['url'] ) . '" target="_blank" rel="noopener">' . $title . '</a>' : $title;
	}

	private static function quote( string $text ): string {
		return '' === $text ? '' : '<blockquote>' . nl2br( esc_html( $text ) ) . '</blockquote>';
	}

	private static function paragraph( string $text ): string {
		return '<p>' . esc_html( $text ) . '</p>';
	}
}
