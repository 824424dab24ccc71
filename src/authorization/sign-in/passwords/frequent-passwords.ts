/**
 * Words and rows of keys that the commonest passwords consist of, in lower case, without what people put behind them
 * (digits, signs): a short list, made for this project.
 */
const WORDS = `
password passwort passwd pass contrasena motdepasse wachtwoord parola senha haslo heslo salasana jelszo losenord kennwort geheim secret topsecret
passphrase passcode pincode password1 p4ssword pa55word passw0rd p@ssword p@ssw0rd p@$$word p@$$w0rd pa$$word passworld mypassword newpassword
oldpassword yourpassword thepassword nopassword temppass temppassword testpassword userpassword adminpassword rootpassword defaultpassword
welcome willkommen bienvenue bienvenido welkom hello hallo hola bonjour goodbye login logon signin letmein letmeout openup opensesame access
accessgranted enter entrar changeme changeit changethis change resetme replace temporary temp default initial example sample demo guest test
tester testing testtest testuser user username admin administrator adminadmin root rootroot toor superuser sysadmin system manager master
mastermind owner operator support supervisor service server computer internet windows linux ubuntu debian apple android samsung iphone nokia
google facebook instagram youtube twitter tiktok whatsapp microsoft office outlook oracle cisco database backup network wireless security
secure private public account office365 sharepoint github gitlab docker kubernetes jenkins postgres mysql mongodb redis tomcat apache nginx
qwerty qwertz azerty qwertyu qwertyui qwertyuio qwertyuiop qwertzui qwertzuiop azertyuiop asdf asdfg asdfgh asdfghj asdfghjk asdfghjkl zxcv
zxcvb zxcvbn zxcvbnm yxcvbnm asdfasdf asdfqwer qweasd qweasdzxc qweqwe qwerqwer qazwsx qazwsxedc wsxedc poiuytrewq lkjhgfdsa mnbvcxz
1q2w3e 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3 q1w2e3r4 q1w2e3r4t5 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 zaq12wsx zaq1xsw2 !qaz2wsx 1qaz@wsx q2w3e4r5
abc abcd abcde abcdef abcdefg abcdefgh abcdefghi abcdefghij abcabc abcabcabc aabbcc abcd1234 abc123 a1b2c3 a1b2c3d4 a1b2c3d4e5 aa123456
123abc 1234abcd 123qwe 123qweasd qwe123 asd123 zxc123 123456a 1234567a 12345678a 123456789a 123456q 12345q 1234qwer 12345qwert 123asd
iloveyou iloveu iloveme loveyou loveme lovely lover lovers love mylove myself trustno trustnoone nobody somebody whatever whocares
dragon monkey tiger lion panther leopard elephant giraffe zebra eagle falcon hawk phoenix dolphin shark turtle butterfly spider snake
kitten kitty cat doggy puppy hamster bunny rabbit horse pony unicorn bear teddybear panda wolf fox chicken ducky penguin parrot
sunshine sunflower sunrise sunset rainbow summer winter spring autumn sommer herbst fruhling ete hiver printemps verano invierno
january february march april may june july august september october november december januar februar marz juni juli oktober dezember
monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag
football soccer baseball basketball hockey rugby cricket tennis golf volleyball fussball futbol liverpool arsenal chelsea barcelona
realmadrid manchester juventus bayern dortmund celtic rangers yankees lakers cowboys steelers patriots eagles packers warriors bulls
superman batman spiderman ironman captain marvel avengers starwars skywalker jedi yoda vader startrek pokemon pikachu mario zelda
minecraft fortnite roblox counterstrike warcraft overwatch naruto sasuke goku doraemon hellokitty mickey mickeymouse simpsons homer
gandalf hobbit frodo matrix neo morpheus terminator rambo rocky godzilla hogwarts harrypotter potter hermione dumbledore
princess prince queen king angel angels devil demon heaven hell jesus christ jesuschrist godisgood blessed faith allah buddha maria
michael michelle daniel david jessica jennifer ashley amanda nicole andrew anthony joshua matthew robert thomas william charlie george
jordan taylor justin brandon hunter tyler austin alexander alexandra samantha victoria elizabeth stephanie christian christina charlotte
patrick sebastian benjamin jonathan nicholas natalie vanessa isabella sophie oliver jasmine jackson dakota madison maggie ginger buster
bailey cookie pepper harley shadow smokey tigger snoopy scooter rusty buddy lucky molly sammy max bella daisy princesa mahalkita
chocolate vanilla strawberry cherry banana orange apples lemon peanut cookies cheese pizza burger coffee kaffee whisky whiskey vodka beer
flower flowers rose roses lavender blossom forest mountain ocean river island beach water fire thunder lightning storm snow snowball
diamond crystal silver gold golden platinum emerald ruby sapphire pearl blue red green yellow purple pink black white orange1
ferrari porsche mercedes corvette mustang camaro toyota honda yamaha kawasaki suzuki ducati chevy chevrolet volkswagen audi bmw
america american england london paris berlin munich madrid roma canada mexico brazil brasil africa australia texas california newyork
newyorkcity chicago boston dallas denver houston miami phoenix seattle france deutschland schweiz austria espana italia polska india
freedom liberty justice peace happy happiness smile forever friends friend family familia mother father daddy mommy brother sister
babygirl babyboy baby sweetheart sweetie honey darling cutie beautiful gorgeous handsome sexy pretty cool awesome amazing perfect
money dollar million millionaire rich success winner champion legend hero warrior ninja samurai pirate knight wizard magic killer
hunter hacker hacked fuckyou fuckoff fuckme asshole bitch bullshit biteme shithead motherfucker stupid idiot
school college university student teacher education academy library company business sales marketing finance accounting hospital doctor
nurse lawyer police army marine navy airforce military soldier sniper trigger explorer voyager discovery challenger apollo
nothing something anything everything someone anyone everyone unknown undefined null none blank empty correcthorsebatterystaple
`

/**
 * Passwords that have digits at their start or nothing but digits: what is left of them without digits says nothing.
 */
const NUMBERS = `
00000000 11111111 12121212 12341234 12344321 12345678 123456789 1234567890 12345678910 123123123 123321123 123454321 1234554321 1234567891
12345679 13131313 147258369 159753159 159357159 20202020 22222222 33333333 44444444 55555555 66666666 69696969 77777777 78945612 789456123
87654321 88888888 98765432 987654321 9876543210 99999999 01234567 0123456789 10101010 11223344 1122334455 112233445566 11112222 12312312
123412341234 1231231231 147852369 147258 963852741 741852963 159753 258456 31415926 314159265 3141592653 27182818 00112233 99887766 10203040
1029384756 102030405060 19216811 192168
`

const common = new Set([...WORDS.split(/\s+/), ...NUMBERS.split(/\s+/)].filter((one) => one !== ''))

/**
 * Whether a password is one of the commonest, or one with digits and signs around it.
 *
 * @param folded NFC and lower case.
 */
export function isFrequentPassword(folded: string): boolean {
  const signs = [...folded]
  const isLetter = (sign: string | undefined) => sign !== undefined && /\p{L}/u.test(sign)
  const isDigit = (sign: string | undefined) => sign !== undefined && /\d/.test(sign)
  const first = Math.max(0, signs.findIndex(isLetter))
  const lastLetter = signs.findLastIndex(isLetter) + 1
  const lastLetterOrDigit = signs.findLastIndex((sign) => isLetter(sign) || isDigit(sign)) + 1
  const lastSign = signs.findLastIndex((sign) => !isDigit(sign)) + 1
  const parts = [
    signs,
    signs.slice(first, lastLetter),
    signs.slice(0, lastLetter),
    signs.slice(0, lastLetterOrDigit),
    signs.slice(0, lastSign),
  ]
  return parts.some((part) => common.has(part.join(''))) || isRepeated(folded)
}

/** Whether it consists of at most three characters, or of one short part again and again. */
function isRepeated(text: string): boolean {
  return new Set(text).size <= 3 || [4, 6].some((size) => text === text.slice(0, size).repeat(text.length / size))
}
