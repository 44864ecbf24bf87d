package auskunft.services;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.FilteringTokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.email.UAX29URLEmailTokenizer;
import org.apache.lucene.analysis.pattern.PatternCaptureGroupTokenFilter;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.elasticsearch.plugin.analysis.TokenFilterFactory;
import org.elasticsearch.plugin.analysis.TokenizerFactory;

/** What the e-mail analyzer of the index {@code .security} needs: without it there are no users and no API keys. */
public final class SecurityIndex {
    private SecurityIndex() {}

    public static final class UaxUrlEmail implements TokenizerFactory {
        @Override
        public Tokenizer create() {
            return new UAX29URLEmailTokenizer();
        }
    }

    /** Always the parts of an e-mail address: the only use, so the settings are not read. */
    public static final class PatternCapture implements TokenFilterFactory {
        private static final Pattern[] PARTS = {
            Pattern.compile("([^@]+)"), Pattern.compile("(\\p{L}+)"), Pattern.compile("(\\d+)"), Pattern.compile("@(.+)")
        };

        @Override
        public TokenStream create(TokenStream tokens) {
            return new PatternCaptureGroupTokenFilter(tokens, true, PARTS);
        }
    }

    public static final class Unique implements TokenFilterFactory {
        @Override
        public TokenStream create(TokenStream tokens) {
            return new FirstOccurrences(tokens);
        }
    }

    private static final class FirstOccurrences extends FilteringTokenFilter {
        private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
        private final Set<String> seen = new HashSet<>();

        FirstOccurrences(TokenStream tokens) {
            super(tokens);
        }

        @Override
        protected boolean accept() {
            return seen.add(term.toString());
        }

        @Override
        public void reset() throws IOException {
            super.reset();
            seen.clear();
        }
    }
}
