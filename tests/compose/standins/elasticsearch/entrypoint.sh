# As the real one: the password goes into the keystore, variables with dots in their names are settings.
set -e
[ -e config/elasticsearch.keystore ] ||
    printf %s "$ELASTIC_PASSWORD" | bin/elasticsearch-keystore add --stdin --force bootstrap.password
# The shell keeps no variables of such names.
settings=$(tr '\0' '\n' < /proc/$$/environ | sed -n 's/^\([a-z_]*\.[a-z_.]*=\)/-E\1/p')
exec bin/elasticsearch -Enetwork.host=0.0.0.0 $settings
