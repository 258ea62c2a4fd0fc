// primes.js: an example of the guide: primes in a slow way.
function isPrime(n) {
	for (let i = 2; i * i <= n; i++)
		if (n % i === 0)
			return false;
	return n > 1;
}

let found = 0;
for (let n = 0; n < 1500000; n++)
	if (isPrime(n))
		found++;
console.log(found);
