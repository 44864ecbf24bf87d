<?php

/** Answers of real servers, with the few methods of Guzzle's client and PSR-7's response that are used. */

namespace Stub;

final class Http implements \GuzzleHttp\ClientInterface {
    public function request(string $method, $uri, array $options = []) {
        $headers = [];
        $curl = curl_init((string) $uri);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_RETURNTRANSFER => TRUE,
            CURLOPT_TIMEOUT => $options['timeout'],
            CURLOPT_FOLLOWLOCATION => $options['allow_redirects'],
            CURLOPT_HTTPHEADER => array_map(fn ($name, $value) => "$name: $value", array_keys($options['headers']), $options['headers']),
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$headers) {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $headers[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ]);
        if (isset($options['body'])) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, $options['body']);
        }
        $body = curl_exec($curl);
        if ($body === FALSE) {
            throw new \GuzzleHttp\Exception\ConnectException(curl_error($curl));
        }
        return new Response(curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $headers, $body);
    }
}

final class Response {
    public function __construct(private int $status, private array $headers, private string $body) {}
    public function getStatusCode() { return $this->status; }
    public function getHeaderLine(string $name) { return $this->headers[strtolower($name)] ?? ''; }
    public function getBody() { return $this->body; }
}
